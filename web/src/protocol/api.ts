/** Parlour's control plane: what is sent and answered over HTTP.
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

/** How a request reached the house, as far as it believes that. */
export interface ConnectionInfo {
  /** What limits know its sender by. */
  address: string
  scheme: string
  host: string
  /**
   * Whether a proxy's headers were sent and believed (`proxy_headers`). "missing": they would have
   * been believed, but the trusted proxy sent none.
   */
  proxy: 'none' | 'ignored' | 'believed' | 'missing'
  /** What links for others begin with; None: with the address that was asked. */
  link: string | null
}

/** Who you are; the token proves it where cookies do not reach. */
export interface Me {
  id: string
  name: string
  token: string
}

/** How many it takes to play, and how many can. */
export interface SeatsInfo {
  min: number
  max: number
}

/** What teaches a game by playing it. */
export interface LessonInfo {
  id: string
  title: string
}

/** A game of this house. */
export interface GameInfo {
  id: string
  name: string
  blurb: string
  seats: SeatsInfo
  /** A JSON Schema. */
  settings: Record<string, unknown>
  defaults: Record<string, unknown>
  sockets: string[]
  bots: boolean
  /** How strong its bots can be, the weakest first; empty where it has none. */
  strengths: string[]
  /** Whether a match starts when all players say that they are ready. */
  ready: boolean
  /** Whether clients that know nothing of it can play it by scenes and choices (extras). */
  scenes: boolean
  lessons: LessonInfo[]
}

export interface Games {
  games: GameInfo[]
}

/** Somebody at a table. */
export interface PlayerInfo {
  place: number
  name: string
  human: boolean
  present: boolean
}

/** What people of a table brought there. */
export interface BroughtPack {
  name: string
  /** Other tables may have it, too. */
  shared: boolean
}

/** The match under way or just over: how to check that it was dealt fairly. */
export interface Fairness {
  replay: string | null
  commitment: string | null
}

/** A table, as anybody may know it. */
export interface TableInfo {
  code: string
  id: string
  game: string
  public: boolean
  players: PlayerInfo[]
  seats: SeatsInfo
  running: boolean
  round: number
  settings: Record<string, unknown>
  /** Milliseconds since the epoch. */
  opened: number
  /** Nobody else may sit down. */
  locked: boolean
  /** What is played with besides the settings, by name (card packs). */
  packs: string[]
  /** Those of them that are this table's own. */
  brought: BroughtPack[]
  fairness: Fairness
  /** The place of who alone runs it, if anybody does. */
  host: number | null
  /** Whether you have a seat there. */
  yours: boolean
  /** How many wait for a seat. */
  queue: number
}

/** A page of the list of tables. */
export interface Tables {
  tables: TableInfo[]
  /** There are more: ask again with `?after=` and this number. */
  next?: number
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
  /** What actions call it, where that is not its id. */
  name?: number | string
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
   * What faces are codes of: cards as `french` writes them ("french"), numbers of a die ("dice"),
   * texts ("text"), or cards of another deck. A client that can't draw a deck writes its faces.
   */
  deck?: string
  /** Of a grid. */
  columns?: number
  /** What actions call the zone itself, where they do: a meld, a column. */
  name?: number | string
  /** Whether its viewer may see it in an order of their own: it changes nothing. */
  sortable?: boolean
}

/** One of these values. */
export interface One {
  type: 'one'
  of: (number | string | null)[]
  /** An earlier field whose value it may not repeat. */
  unlike?: string
  /** What people read for each value, where nothing on the table stands for it. */
  words?: string[]
}

/** A list of different values, `least` to `most` of them. */
export interface Some {
  type: 'some'
  of: (number | string | null)[]
  least: number
  most: number
  /** Whether the order matters. If not, every order means the same. */
  ordered?: boolean
  /** What else must hold, for people to read. */
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
  /** What people read on its button; "": the action's name. */
  label?: string
  /** Nobody waits for it: a snap, an undo, a vote. */
  optional?: boolean
}

/** All that there is to see, and where choices are performed. */
export interface Scene {
  viewer: number | null
  seats: SeatInfo[]
  zones: Zone[]
  /** What to do next, or what is waited for. */
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

/**
 * What the viewer saw after one event: a whole scene, or what is different from the frame before
 * (`fields`, `zones` and `order` as in `extras_change`).
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
  /** What happened, in a sentence; "": nothing that needs one. */
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

export interface NewName {
  name: string
}

export interface NewTable {
  game: string
  settings?: Record<string, unknown>
  public?: boolean
  bots?: number
  /** Of those bots; as strong as they can be if it is left out. */
  strength?: string
}

export interface AddBot {
  strength?: string
  /** On the place of somebody who is away, until they are back. */
  instead?: number | null
}

export interface RemoveBot {
  /** Its place; without one, the bot that came last goes. */
  bot?: number | null
}

export interface Kick {
  place: number
  ban?: boolean
}

export interface Lock {
  locked: boolean
}

export interface NewSettings {
  /** Only those that are to change; all of them, or none. */
  settings: Record<string, unknown>
}

/** Content for a table, and a name to replace it by. */
export interface NewPack {
  name: string
  pack?: unknown
  /** In place of a pack: the table at which one of that name is shared. */
  table?: string
}

export interface SharedPack {
  name: string
  shared: boolean
}

const Look = oneOf('hand', 'pile', 'row', 'spread', 'grid', 'dice', 'text')

export const ConnectionInfo: Shape<ConnectionInfo> = struct({
  address: string,
  scheme: string,
  host: string,
  proxy: oneOf('none', 'ignored', 'believed', 'missing'),
  link: or(string, nil),
})

export const Me: Shape<Me> = struct({
  id: string,
  name: string,
  token: string,
})

const SeatsInfo = struct({
  min: number,
  max: number,
})

const LessonInfo = struct({
  id: string,
  title: string,
})

const GameInfo = struct({
  id: string,
  name: string,
  blurb: string,
  seats: SeatsInfo,
  settings: record(unknown),
  defaults: record(unknown),
  sockets: list(string),
  bots: boolean,
  strengths: list(string),
  ready: boolean,
  scenes: boolean,
  lessons: list(LessonInfo),
})

export const Games: Shape<Games> = struct({
  games: list(GameInfo),
})

const PlayerInfo = struct({
  place: number,
  name: string,
  human: boolean,
  present: boolean,
})

const BroughtPack = struct({
  name: string,
  shared: boolean,
})

const Fairness = struct({
  replay: or(string, nil),
  commitment: or(string, nil),
})

export const TableInfo: Shape<TableInfo> = struct({
  code: string,
  id: string,
  game: string,
  public: boolean,
  players: list(PlayerInfo),
  seats: SeatsInfo,
  running: boolean,
  round: number,
  settings: record(unknown),
  opened: number,
  locked: boolean,
  packs: list(string),
  brought: list(BroughtPack),
  fairness: Fairness,
  host: or(number, nil),
  yours: boolean,
  queue: number,
})

export const Tables: Shape<Tables> = struct({
  tables: list(TableInfo),
  next: maybe(number),
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

const SeatInfo = struct({
  seat: number,
  counters: maybe(record(or(number, string))),
  marks: maybe(list(string)),
})

const Thing = struct({
  id: string,
  face: maybe(string),
  name: maybe(or(number, string)),
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
  name: maybe(or(number, string)),
  sortable: maybe(boolean),
})

const One = struct({
  type: oneOf('one'),
  of: list(or(number, string, nil)),
  unlike: maybe(string),
  words: maybe(list(string)),
})

const Some = struct({
  type: oneOf('some'),
  of: list(or(number, string, nil)),
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
