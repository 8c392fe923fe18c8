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

/** How a request reached the house, as far as it believes that. */
export interface ConnectionInfo {
  /** The sender's address, as limits count it. */
  address: string
  scheme: string
  host: string
  /**
   * Whether a proxy's headers were sent and believed (`proxy_headers`). "missing": they would have
   * been believed, but the trusted proxy sent none.
   */
  proxy: 'none' | 'ignored' | 'believed' | 'missing'
  /** The beginning of links for others; None: the address of this request. */
  link: string | null
}

/** The visitor who asks. The token proves it where cookies are not sent. */
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

/** A lesson, which teaches a game by playing it. */
export interface LessonInfo {
  id: string
  title: string
}

/** Settings that suit some kind of group, with a name for them. */
export interface Preset {
  name: string
  /** One line for players. */
  blurb: string
  /** Those that differ from the game's defaults. */
  settings: Record<string, unknown>
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
  /** How many points a series of matches can be played for; 0: points do not add up. */
  most_points: number
  /** Whether clients that know nothing of it can play it by scenes and choices (extras). */
  scenes: boolean
  lessons: LessonInfo[]
  /** Settings to choose from; a table for friends begins with the first. */
  presets: Preset[]
  /**
   * Its files for the page, below `/package/{id}/`: `emblem.svg`, `board.js`, and decks by their
   * folders (`decks/tarot`).
   */
  brings: string[]
}

export interface Games {
  games: GameInfo[]
}

/** Somebody with an account, in a pool of ratings. */
export interface RankInfo {
  rank: number
  name: string
  rating: number
  /** How far off the rating may be. */
  rd: number
  games: number
  wins: number
  you: boolean
}

/** The best of a pool, and the one who asks. */
export interface Ranking {
  pool: string
  ranks: RankInfo[]
}

/** Somebody at a table. */
export interface PlayerInfo {
  place: number
  name: string
  human: boolean
  present: boolean
}

/** A pack that people brought to a table. */
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
  /** The names of the card packs that are played with. */
  packs: string[]
  /** Those of them that are this table's own. */
  brought: BroughtPack[]
  fairness: Fairness
  /** The place of the player who runs it; null: nobody runs it alone. */
  host: number | null
  /** Whether you have a seat there. */
  yours: boolean
  /** Whether you were put out of it, so that you get no seat. */
  banned: boolean
  /** How many wait for a seat. */
  queue: number
  /** Given by its players; "": they have not named it. */
  name: string
  /** Whether players are asked for a password. */
  password: boolean
}

/** A page of the list of tables. */
export interface Tables {
  tables: TableInfo[]
  /** There are more: ask again with `?after=` and this number. */
  next?: number
  /** The operator's message to everybody; "": there is none. */
  notice?: string
}

/** A finished match with its log, as `/api/replays/{id}/log` answers it. */
export interface ReplayLog {
  /** The lines of the file that `parlour replay export` writes. */
  lines: string[]
  /** Whether the server finds that the cards and all events follow from them. */
  fair: boolean
  /** Its reason. */
  sentence: string
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

/** Content for a table, and a name to replace it by. */
export interface NewPack {
  name: string
  pack?: unknown
  /** In place of a pack: the table at which one of that name is shared. */
  table?: string
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

export interface SharedPack {
  name: string
  shared: boolean
}

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

const Preset = struct({
  name: string,
  blurb: string,
  settings: record(unknown),
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
  most_points: number,
  scenes: boolean,
  lessons: list(LessonInfo),
  presets: list(Preset),
  brings: list(string),
})

export const Games: Shape<Games> = struct({
  games: list(GameInfo),
})

const RankInfo = struct({
  rank: number,
  name: string,
  rating: number,
  rd: number,
  games: number,
  wins: number,
  you: boolean,
})

export const Ranking: Shape<Ranking> = struct({
  pool: string,
  ranks: list(RankInfo),
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
  banned: boolean,
  queue: number,
  name: string,
  password: boolean,
})

export const Tables: Shape<Tables> = struct({
  tables: list(TableInfo),
  next: maybe(number),
  notice: maybe(string),
})

export const ReplayLog: Shape<ReplayLog> = struct({
  lines: list(string),
  fair: boolean,
  sentence: string,
})
