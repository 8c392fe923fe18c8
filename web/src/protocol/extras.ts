/** Extras: the messages, as they go over the wire.
 *
 * Made by `make types` from the server's own; change them there. */

import {
  boolean,
  list,
  maybe,
  messages,
  number,
  oneOf,
  record,
  string,
  struct,
  unknown,
  type Shape,
} from '../lib/shapes'

export type NoteKind =
  'away' | 'back' | 'skipped' | 'left' | 'expired' | 'voted' | 'put-out' | 'ended'

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

/** What the matches at this table add up to, the best first. */
export interface Scores {
  /** Who has so many points has won; 0: it goes on and on. */
  target: number
  standings: Score[]
  rounds: Round[]
  /** Who has won, once somebody has; the next match begins anew. */
  winners: string[]
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

export type Outgoing = TableExtras | Noted | Said | StoryExtras | Pong | Refused

/** Say something to all at the table. */
export interface Say {
  type: 'extras_say'
  text: string
}

/** Who watches asks for the next free seat; it is theirs once `seated` says so. */
export interface Wait {
  type: 'extras_queue'
  password?: string | null
}

/** No longer wait for a seat. */
export interface StopWait {
  type: 'extras_unqueue'
}

/** Get up for good; the connection is closed. */
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

/** Whether the house listens: it answers in turn, once what came before is done and kept. */
export interface Ping {
  type: 'extras_ping'
}

export type Incoming = Say | Wait | StopWait | Leave | VoteOut | SetTarget | Ping

const NoteKind = oneOf('away', 'back', 'skipped', 'left', 'expired', 'voted', 'put-out', 'ended')

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
  extras_pong: Pong,
  extras_refused: Refused,
})
