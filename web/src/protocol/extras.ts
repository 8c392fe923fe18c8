/** Extras: the messages, as they go over the wire.
 *
 * Made by `make types` from the server's own; change them there. */

import {
  boolean,
  list,
  maybe,
  messages,
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

export type WonBy = 'most' | 'fewest'

export type NoteKind =
  'away' | 'back' | 'skipped' | 'left' | 'expired' | 'voted' | 'put-out' | 'ended'

export type Look = 'hand' | 'pile' | 'row' | 'spread' | 'grid' | 'dice' | 'text'

export type Domain = One | Some | Number | Text

/** Somebody with a seat, other than a computer player. */
export interface Person {
  /** Their number at this table. */
  place: number
  /** The one that the game's protocol calls them by. */
  id: string
  name: string
  you?: boolean
  away?: boolean
  /** While away: for how many milliseconds more the seat is kept. */
  kept?: number
  /** How many want to go on without them. */
  votes?: number
  /** How many votes that takes; 0: you have no vote about them. */
  needed?: number
  /** Whether you want to go on without them. */
  voted?: boolean
  /** A computer player plays for them until they are back. */
  stand_in?: boolean
  /** Whether you may have one do so: `POST /api/tables/{code}/bots` with `instead`. */
  may_stand_in?: boolean
  /** They have asked for longer timers. */
  unhurried?: boolean
}

/** Somebody in the queue for a seat. */
export interface Waiting {
  name: string
  you?: boolean
  away?: boolean
}

/** Somebody's points; `id` is the one that the game's protocol has last called them by. */
export interface Score {
  id: string
  name: string
  points: number
  won: number
  you?: boolean
}

/** One match that counted: who won it and what everybody gained, by name. */
export interface Round {
  number: number
  winners: string[]
  gains: Record<string, number>
}

/** The totals of the matches at this table, the best first. */
export interface Scores {
  /** It ends when somebody has so many points; 0: it goes on and on. */
  target: number
  standings: Score[]
  rounds: Round[]
  /** The winners, once there are any; the next match starts a new series. */
  winners: string[]
  /** Whether the most points win, or the fewest. */
  won_by?: WonBy
  /** Whether a point is a match won: the points of the game's matches do not add up. */
  in_wins?: boolean
}

/** How the table stands. Comes after the greeting, and again whenever it has changed. */
export interface TableExtras {
  type: 'extras_table'
  running: boolean
  /** Whether you have a seat here, on whatever connection. */
  seated: boolean
  /** Whether one more could sit down now. */
  free: boolean
  /** Whether you may run the table: start, change settings, seat bots. */
  runs: boolean
  people: Person[]
  /** Whose leaving ended the last match; "": it came to its own end. */
  ended_by: string
  queue: Waiting[]
  scores: Scores
  /** Whether there are timers, so that players can ask for longer ones. */
  timed: boolean
}

/** Somebody came or went, or their turn was passed on: a line for the list of moves. */
export interface Noted {
  type: 'extras_note'
  /**
   * `skipped`: they are away, and were waited for long enough. `expired`: they were away for too
   * long. `voted`: the others went on without them. `ended`: the match is over because they left.
   */
  kind: NoteKind
  /** The one that the game's protocol calls them by; "" with `ended`. */
  id: string
  name: string
}

/** Somebody at the table said something. */
export interface Said {
  type: 'extras_said'
  name: string
  text: string
  /** Milliseconds since the epoch. */
  at: number
}

/**
 * Once, after the greeting: what was said here, and the match so far.
 *
 * `events` are messages of the game's protocol, those that you would have been sent, with
 * `extras_note` between them.
 */
export interface StoryExtras {
  type: 'extras_story'
  said: Said[]
  events: unknown[]
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

/**
 * All that there is to see for you: after the greeting, when a match begins, and when somebody
 * joins it. Only for clients that ask for `scene`, as are the next two.
 */
export interface SceneExtras {
  type: 'extras_scene'
  scene: Scene
  /**
   * The match so far in sentences, the last ones of it. As all texts of a scene they say `{0}` for
   * the name of the player at seat 0.
   */
  moves: string[]
  /** The names of the players by seat, also of those who have left. */
  names: string[]
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

/** The game can't be drawn right now. It goes on; a whole scene follows when it can. */
export interface NoScene {
  type: 'extras_no_scene'
  message: string
}

/**
 * The operator's message to everybody, for example before a restart; "": it was taken back. Only
 * for clients that ask for `notice`. It comes at any time, also before the greeting.
 */
export interface Notice {
  type: 'extras_notice'
  text: string
}

/**
 * Before the greeting and after every deal: the server's commitment for the next match. Only for
 * clients that ask for `deals`, as is the next message.
 */
export interface Promised {
  type: 'extras_commitment'
  /** The id that the match will have. */
  match: string
  /** The SHA-256 of the server's secret, which is told after the match. */
  commitment: string
}

/** A match has ended. Keep this: it shows whether the log is changed later. */
export interface Sealed {
  type: 'extras_head'
  match: string
  /** Of the chain of the log up to the end of the match. */
  head: string
}

/**
 * How far you are once you have the next `messages` messages. Only for those who send `since`.
 *
 * Refusals, answers and `extras_notice` are not counted, nor other `extras_at`.
 */
export interface At {
  type: 'extras_at'
  /** Send it as `since` when you reconnect. */
  at: string
  messages: number
  /** They are a greeting: forget all that came before. Else they are what happened next. */
  whole?: boolean
  /** How many milliseconds ago it happened, if you missed it. */
  ago?: number
}

/** All that you sent before your `extras_ping` has been answered. */
export interface Pong {
  type: 'extras_pong'
}

/** Something was refused that the game's own protocol does not answer. */
export interface Refused {
  type: 'extras_refused'
  code: string
  message: string
}

export type Outgoing =
  | TableExtras
  | Noted
  | Said
  | StoryExtras
  | SceneExtras
  | ChangeExtras
  | NoScene
  | Notice
  | Promised
  | Sealed
  | At
  | Pong
  | Refused

/** Say something to all at the table. */
export interface Say {
  type: 'extras_say'
  text: string
}

/** A spectator asks for the next free seat; it is theirs once `seated` says so. */
export interface Wait {
  type: 'extras_queue'
  password?: string | null
}

/** No longer wait for a seat. */
export interface StopWait {
  type: 'extras_unqueue'
}

/** Leave the table and your seat; the connection is closed. */
export interface Leave {
  type: 'extras_leave'
}

/**
 * Go on without somebody who is away: at once if you run the table, else by a vote.
 *
 * Where nobody runs it, also without somebody who is there.
 */
export interface VoteOut {
  type: 'extras_vote'
  place: number
  /** False takes the vote back. */
  out?: boolean
}

/** Between matches that add up: play for so many points, or (0) on and on. */
export interface SetTarget {
  type: 'extras_target'
  points: number
}

/** Where a match starts when everybody is ready: say that you are, or no longer. */
export interface Ready {
  type: 'extras_ready'
  ready?: boolean
}

/**
 * Where there are timers: from the next match on they run three times as long, for everybody, as
 * long as somebody there wants that.
 */
export interface AskForTime {
  type: 'extras_time'
  longer?: boolean
}

/** Do one of the `choices` of your scene. */
export interface Act {
  type: 'extras_act'
  action: string
  /** Its fields, as the choice allows them. */
  fields?: Record<string, unknown>
}

/**
 * Your own random number for the next deal. The first one for a commitment counts; one that answers
 * an earlier commitment is ignored.
 */
export interface Nonce {
  type: 'extras_nonce'
  /** The last that you were told. */
  commitment: string
  /** 32 random bytes, as lowercase hex digits. */
  nonce: string
}

/** Whether the house listens: it answers in turn, once what came before is done and kept. */
export interface Ping {
  type: 'extras_ping'
}

export type Incoming =
  Say | Wait | StopWait | Leave | VoteOut | SetTarget | Ready | AskForTime | Act | Nonce | Ping

const WonBy = oneOf('most', 'fewest')

const NoteKind = oneOf('away', 'back', 'skipped', 'left', 'expired', 'voted', 'put-out', 'ended')

const Look = oneOf('hand', 'pile', 'row', 'spread', 'grid', 'dice', 'text')

const Person = struct({
  place: number,
  id: string,
  name: string,
  you: maybe(boolean),
  away: maybe(boolean),
  kept: maybe(number),
  votes: maybe(number),
  needed: maybe(number),
  voted: maybe(boolean),
  stand_in: maybe(boolean),
  may_stand_in: maybe(boolean),
  unhurried: maybe(boolean),
})

const Waiting = struct({
  name: string,
  you: maybe(boolean),
  away: maybe(boolean),
})

const Score = struct({
  id: string,
  name: string,
  points: number,
  won: number,
  you: maybe(boolean),
})

const Round = struct({
  number,
  winners: list(string),
  gains: record(number),
})

const Scores = struct({
  target: number,
  standings: list(Score),
  rounds: list(Round),
  winners: list(string),
  won_by: maybe(WonBy),
  in_wins: maybe(boolean),
})

const TableExtras = struct({
  type: oneOf('extras_table'),
  running: boolean,
  seated: boolean,
  free: boolean,
  runs: boolean,
  people: list(Person),
  ended_by: string,
  queue: list(Waiting),
  scores: Scores,
  timed: boolean,
})

const Noted = struct({
  type: oneOf('extras_note'),
  kind: NoteKind,
  id: string,
  name: string,
})

const Said = struct({
  type: oneOf('extras_said'),
  name: string,
  text: string,
  at: number,
})

const StoryExtras = struct({
  type: oneOf('extras_story'),
  said: list(Said),
  events: list(unknown),
})

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

const SceneExtras = struct({
  type: oneOf('extras_scene'),
  scene: Scene,
  moves: list(string),
  names: list(string),
})

const ChangeExtras = struct({
  type: oneOf('extras_change'),
  fields: record(unknown),
  zones: list(Zone),
  order: list(string),
  move: string,
})

const NoScene = struct({
  type: oneOf('extras_no_scene'),
  message: string,
})

const Notice = struct({
  type: oneOf('extras_notice'),
  text: string,
})

const Promised = struct({
  type: oneOf('extras_commitment'),
  match: string,
  commitment: string,
})

const Sealed = struct({
  type: oneOf('extras_head'),
  match: string,
  head: string,
})

const At = struct({
  type: oneOf('extras_at'),
  at: string,
  messages: number,
  whole: maybe(boolean),
  ago: maybe(number),
})

const Pong = struct({
  type: oneOf('extras_pong'),
})

const Refused = struct({
  type: oneOf('extras_refused'),
  code: string,
  message: string,
})

export const Outgoing: Shape<Outgoing> = messages('type', {
  extras_table: TableExtras,
  extras_note: Noted,
  extras_said: Said,
  extras_story: StoryExtras,
  extras_scene: SceneExtras,
  extras_change: ChangeExtras,
  extras_no_scene: NoScene,
  extras_notice: Notice,
  extras_commitment: Promised,
  extras_head: Sealed,
  extras_at: At,
  extras_pong: Pong,
  extras_refused: Refused,
})
