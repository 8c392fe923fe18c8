/** Parlour's control plane, scenes: what is sent and answered over HTTP.
 *
 * Made by `make types` from the server's own; change them there. */

import {
  boolean,
  list,
  maybe,
  nil,
  number,
  oneOf,
  or,
  record,
  string,
  struct,
  unknown,
  type Shape,
} from '../lib/shapes'

export type Look = 'hand' | 'pile' | 'row' | 'spread' | 'grid' | 'dice' | 'text'

export type Domain = One | Some | Number | Text

/** Somebody in the match. */
export interface SeatInfo {
  seat: number
  counters?: Record<string, number | string>
  marks?: string[]
}

/** A card, a die, a token, a text. */
export interface Thing {
  /** This viewer's name for it, kept for as long as they can follow it with their eyes. */
  id: string
  /** A code of the zone's deck, or the text itself; None: it lies face down. */
  face?: string
  /** Its name in actions, if that is not its id. */
  name?: boolean | number | string
  /** Said of it and drawn on it: "just drawn", "locked". */
  marks?: string[]
}

/** A place where things lie in order; the top of a pile is its last. */
export interface Zone {
  id: string
  label: string
  look: Look
  things?: Thing[]
  /** Whose it is; None: it lies in the middle. */
  seat?: number
  /** Things below these that are not told one by one. */
  more?: number
  /**
   * The kind of its faces: cards as `french` writes them ("french"), numbers of a die ("dice"),
   * texts ("text"), or cards of another deck. A client that can't draw a deck writes its faces.
   */
  deck?: string
  /** Of a grid. */
  columns?: number
  /** Where the zone itself lies on a board, with its `column`: both count from 1. 0: on none. */
  row?: number
  column?: number
  /** The zone's own name in actions that name it: a meld, a column. */
  name?: boolean | number | string
  /** Whether its viewer may see it in an order of their own: it changes nothing. */
  sortable?: boolean
}

/** One of these values. */
export interface One {
  type: 'one'
  of: (boolean | number | string | null)[]
  /** An earlier field whose value it may not repeat. */
  unlike?: string
  /** A word to show for each value, where nothing on the table stands for it. */
  words?: string[]
}

/** A list of different values, `least` to `most` of them. */
export interface Some {
  type: 'some'
  of: (boolean | number | string | null)[]
  least: number
  most: number
  /** Whether the order matters. If not, every order means the same. */
  ordered?: boolean
  /** A further condition, in words to be shown. */
  rule?: string
  /** With a rule: the lists that keep it, as rising positions in `of`. */
  sets?: number[][]
  /** Whether `sets` are complete. If not, other lists may be tried, and may be refused. */
  whole?: boolean
  /** How many of the values may instead be texts of up to `longest` characters. */
  texts?: number
  longest?: number
}

/** A whole number. */
export interface Number {
  type: 'number'
  least: number
  most: number
}

/** A text of 1 to `most` characters. */
export interface Text {
  type: 'text'
  most: number
}

/** One action with what its fields may be. A field that is left out has its default. */
export interface Choice {
  /** The action's class, as the plain protocol calls it: `draw_card` for `DrawCard`. */
  action: string
  fields?: Record<string, Domain>
  /** The text of its button; "": the action's name. */
  label?: string
  /** Nobody waits for it: a snap, an undo, a vote. */
  optional?: boolean
}

/** All that there is to see, and where choices are performed. */
export interface Scene {
  viewer: number | null
  seats: SeatInfo[]
  zones: Zone[]
  /** A sentence: the next thing to do, or the reason for waiting. */
  prompt: string
  /** The seats whose players are waited for. */
  awaits?: number[]
  counters?: Record<string, number | string>
  deadline?: number
  /**
   * By action ("draw") or field ("play.index"), the zones where it is performed. A value of the
   * field is the name of a thing there, or of the zone. Others are buttons, or a form.
   */
  targets?: Record<string, string[]>
  choices?: Choice[]
  version?: number
}

/** One thing has happened: what is different in the scene now. */
export interface ChangeExtras {
  type: 'extras_change'
  /** Fields of the scene with their new values, all but `zones`. */
  fields: Record<string, unknown>
  /** Those that are new or different. */
  zones: Zone[]
  /** The ids of all zones, in their order, if any zone changed; others are gone. */
  order: string[]
  /** A sentence about the event; "": it needs none. */
  move: string
}

/**
 * The action expected of the learner. A list is in the order of its choice, unless the order
 * matters.
 */
export interface Expected {
  action: string
  fields: Record<string, unknown>
}

/** One sentence of a lesson. */
export interface TaughtStep {
  text: string
  /** Changes since the sentence before, to be shown first. */
  changes?: ChangeExtras[]
  /** None: there is only something to read. */
  expected?: Expected
  /** Shown to a learner who does something else. */
  otherwise?: string
  /** Zones to look at. */
  look?: string[]
}

/** A lesson, played. All texts say `{0}` for the name of the player at seat 0, the learner. */
export interface TaughtLesson {
  id: string
  title: string
  /** By seat. */
  names: string[]
  /** The scene before the first sentence. */
  scene: Scene
  steps: TaughtStep[]
}

/** Somebody who sat in a seat of the match. */
export interface ReplayPlayer {
  name: string
  human: boolean
}

/** How the match ended. */
export interface ReplayResult {
  winners: number[]
  /** A word of the game's own. */
  how: string
  /** In the game's points. */
  scores: Record<string, number>
}

/**
 * The view after one event: a whole scene, or its differences from the frame before (`fields`,
 * `zones` and `order` as in `extras_change`).
 */
export interface ReplayFrame {
  /** After the start of the match. */
  at: number
  /**
   * Of the inputs of the match, the one that it follows from: 0 is the deal. The same for all
   * viewers.
   */
  step: number
  /** The number of the turn, from 1 on. It rises when somebody else is waited for. */
  turn: number
  /** A sentence about the event; "": it needs none. */
  move?: string
  scene?: Scene
  fields?: Record<string, unknown>
  zones?: Zone[]
  order?: string[]
  /** The game can't be drawn at this moment. */
  blank?: boolean
}

/**
 * A finished match as one viewer saw it. As all texts of a scene, moves say `{0}` for the name of
 * the player at seat 0.
 */
export interface ReplayFrames {
  id: string
  game: string
  /** "open" (all cards), "spectator", or the number of a seat. */
  view: string
  /** When it was dealt, since the epoch. */
  began: number
  /** By seat. */
  players: ReplayPlayer[]
  result: ReplayResult
  /** Empty where the game has no scenes. */
  frames: ReplayFrame[]
  /** How many frames are left out at the end, because the replay is too large. */
  left_out?: number
}

const Look = oneOf('hand', 'pile', 'row', 'spread', 'grid', 'dice', 'text')

const SeatInfo = struct({
  seat: number,
  counters: maybe(record(or(number, string))),
  marks: maybe(list(string)),
})

const Thing = struct({
  id: string,
  face: maybe(string),
  name: maybe(or(boolean, number, string)),
  marks: maybe(list(string)),
})

const Zone = struct({
  id: string,
  label: string,
  look: Look,
  things: maybe(list(Thing)),
  seat: maybe(number),
  more: maybe(number),
  deck: maybe(string),
  columns: maybe(number),
  row: maybe(number),
  column: maybe(number),
  name: maybe(or(boolean, number, string)),
  sortable: maybe(boolean),
})

const One = struct({
  type: oneOf('one'),
  of: list(or(boolean, number, string, nil)),
  unlike: maybe(string),
  words: maybe(list(string)),
})

const Some = struct({
  type: oneOf('some'),
  of: list(or(boolean, number, string, nil)),
  least: number,
  most: number,
  ordered: maybe(boolean),
  rule: maybe(string),
  sets: maybe(list(list(number))),
  whole: maybe(boolean),
  texts: maybe(number),
  longest: maybe(number),
})

const Number = struct({
  type: oneOf('number'),
  least: number,
  most: number,
})

const Text = struct({
  type: oneOf('text'),
  most: number,
})

const Choice = struct({
  action: string,
  fields: maybe(record(or(One, Some, Number, Text))),
  label: maybe(string),
  optional: maybe(boolean),
})

const Scene = struct({
  viewer: or(number, nil),
  seats: list(SeatInfo),
  zones: list(Zone),
  prompt: string,
  awaits: maybe(list(number)),
  counters: maybe(record(or(number, string))),
  deadline: maybe(number),
  targets: maybe(record(list(string))),
  choices: maybe(list(Choice)),
  version: maybe(number),
})

const ChangeExtras = struct({
  type: oneOf('extras_change'),
  fields: record(unknown),
  zones: list(Zone),
  order: list(string),
  move: string,
})

const Expected = struct({
  action: string,
  fields: record(unknown),
})

const TaughtStep = struct({
  text: string,
  changes: maybe(list(ChangeExtras)),
  expected: maybe(Expected),
  otherwise: maybe(string),
  look: maybe(list(string)),
})

export const TaughtLesson: Shape<TaughtLesson> = struct({
  id: string,
  title: string,
  names: list(string),
  scene: Scene,
  steps: list(TaughtStep),
})

const ReplayPlayer = struct({
  name: string,
  human: boolean,
})

const ReplayResult = struct({
  winners: list(number),
  how: string,
  scores: record(number),
})

const ReplayFrame = struct({
  at: number,
  step: number,
  turn: number,
  move: maybe(string),
  scene: maybe(Scene),
  fields: maybe(record(unknown)),
  zones: maybe(list(Zone)),
  order: maybe(list(string)),
  blank: maybe(boolean),
})

export const ReplayFrames: Shape<ReplayFrames> = struct({
  id: string,
  game: string,
  view: string,
  began: number,
  players: list(ReplayPlayer),
  result: ReplayResult,
  frames: list(ReplayFrame),
  left_out: maybe(number),
})
