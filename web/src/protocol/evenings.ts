/** Evenings: what is sent and answered over HTTP.
 *
 * Made by `make types` from the server's own; change them there. */

import {
  boolean,
  list,
  nil,
  number,
  or,
  string,
  struct,
  type Shape,
} from '../lib/shapes'

/** Somebody at a game night. */
export interface MemberInfo {
  number: number
  name: string
  host: boolean
  you: boolean
  left: boolean
  /** The game they would like to play next; "": none. */
  vote: string
  /** One for every person who came in behind them, over all matches. */
  points: number
  wins: number
  played: number
}

/** The table at which they play now. */
export interface EveningTableInfo {
  code: string
  game: string
}

/** A game night. */
export interface EveningInfo {
  code: string
  /** In the order in which they came. */
  members: MemberInfo[]
  table: EveningTableInfo | null
  /** How many there have been. */
  tables: number
  /** Nothing was heard of the host for a while: any member may become the host. */
  host_away: boolean
  /** When it is over, in milliseconds since the epoch. */
  until: number
}

export interface Vote {
  /** "": none. */
  game: string
}

export interface NewHost {
  /** Your own number takes over from a host who is away. */
  member: number
}

export interface NextTable {
  game: string
  settings?: Record<string, unknown>
  bots?: number
  strength?: string
}

const MemberInfo = struct({
  number,
  name: string,
  host: boolean,
  you: boolean,
  left: boolean,
  vote: string,
  points: number,
  wins: number,
  played: number,
})

const EveningTableInfo = struct({
  code: string,
  game: string,
})

export const EveningInfo: Shape<EveningInfo> = struct({
  code: string,
  members: list(MemberInfo),
  table: or(EveningTableInfo, nil),
  tables: number,
  host_away: boolean,
  until: number,
})
