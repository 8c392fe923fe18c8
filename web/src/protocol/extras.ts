/** Extras: the messages, as they go over the wire.
 *
 * Made by `make types` from the server's own; change them there. */

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
  queue: Waiting[]
  scores: Scores
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
 * `events` are messages of the game's protocol, those that you would have been sent.
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

export type Outgoing = TableExtras | Said | StoryExtras | Pong | Refused

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

/** Between matches that add up: play for so many points, or (0) on and on. */
export interface SetTarget {
  type: 'extras_target'
  points: number
}

/** Whether the house listens: it answers in turn, once what came before is done and kept. */
export interface Ping {
  type: 'extras_ping'
}

export type Incoming = Say | Wait | StopWait | Leave | SetTarget | Ping
