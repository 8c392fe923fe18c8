/** The operator's page: what is sent and answered over HTTP.
 *
 * Made by `make types` from the server's own; change them there. */

import {
  boolean,
  list,
  maybe,
  nil,
  number,
  or,
  record,
  string,
  struct,
  unknown,
  type Shape,
} from '../lib/shapes'

export type What = 'list' | 'kick' | 'ban' | 'lock' | 'unlock' | 'close' | 'rename' | 'unpack'

/** Somebody at a table. */
export interface PlayerInfo {
  place: number
  name: string
  human: boolean
  present: boolean
}

/** How many it takes to play, and how many can. */
export interface SeatsInfo {
  min: number
  max: number
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

/** Somebody who has it. */
export interface Right {
  name: string
  /** False: a browser that opened a link. */
  account: boolean
  until: number
}

export interface Rights {
  rights: Right[]
}

/** It is done. */
export interface Done {
}

/** One number of `/metrics`. */
export interface Figure {
  name: string
  value: number
  labels?: Record<string, string>
}

/** A line of the log. */
export interface Fault {
  /** Milliseconds since the epoch. */
  at: number
  level: string
  text: string
}

/** How the server is doing. */
export interface Overview {
  version: string
  /** Which node this is; "": there is only one. */
  node: string
  /** Milliseconds since the epoch. */
  at: number
  /** Those of `/metrics`, without histograms. */
  figures: Figure[]
  faults: Fault[]
  notice: string
}

/** All open tables of all nodes, also private ones, a page at a time. */
export interface OpenTables {
  tables: TableInfo[]
  /** The codes of those that are the server's own. */
  own: string[]
  /** There are more: ask again with `?after=` and this number. */
  next?: number
}

/** A node that is alive. */
export interface NodeInfo {
  number: number
  name: string
  role: string
  ordered: string
  connections: number
  /** Seconds that are left of it. */
  lease: number
  tables: number
}

export interface Nodes {
  nodes: NodeInfo[]
}

/** One thing that an operator asked for. */
export interface AuditEntry {
  by: string
  what: string
  /** The table, node or account it was done to. */
  target: string
  /** The person it was done to. */
  who: string
  /** A message or a name that the operator wrote. */
  text: string
  /** The code of the refusal; "": it was done. */
  refused: string
  /** Milliseconds since the epoch. */
  at: number
}

/** The actions of operators in a month, the last first. */
export interface AuditPage {
  entries: AuditEntry[]
}

/** An order as a server is sent it: a short-lived token. */
export interface SignedOrder {
  order: string
}

/** An order of the operator for one table. */
export interface TableOrder {
  what: What
  /** Its code. "": every public table (`list`), or no table but an account (`rename`). */
  table?: string
  /** The person to remove or rename: a name, or a place. "": rename the table itself. */
  who?: string
  /** The new name ("" for a table: none), or that of the card pack to remove (`unpack`). */
  name?: string
}

/** A new message; without a text, the last one is taken back. */
export interface NewNotice {
  text: string
  /** How long newcomers are told it. */
  minutes?: number
}

/** Empty a node before it is stopped, or take that back. */
export interface NodeOrder {
  node: string
  what: 'drain' | 'resume'
}

const PlayerInfo = struct({
  place: number,
  name: string,
  human: boolean,
  present: boolean,
})

const SeatsInfo = struct({
  min: number,
  max: number,
})

const BroughtPack = struct({
  name: string,
  shared: boolean,
})

const Fairness = struct({
  replay: or(string, nil),
  commitment: or(string, nil),
})

const TableInfo = struct({
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

const Right = struct({
  name: string,
  account: boolean,
  until: number,
})

export const Rights: Shape<Rights> = struct({
  rights: list(Right),
})

export const Done: Shape<Done> = struct({})

const Figure = struct({
  name: string,
  value: number,
  labels: maybe(record(string)),
})

const Fault = struct({
  at: number,
  level: string,
  text: string,
})

export const Overview: Shape<Overview> = struct({
  version: string,
  node: string,
  at: number,
  figures: list(Figure),
  faults: list(Fault),
  notice: string,
})

export const OpenTables: Shape<OpenTables> = struct({
  tables: list(TableInfo),
  own: list(string),
  next: maybe(number),
})

const NodeInfo = struct({
  number,
  name: string,
  role: string,
  ordered: string,
  connections: number,
  lease: number,
  tables: number,
})

export const Nodes: Shape<Nodes> = struct({
  nodes: list(NodeInfo),
})

const AuditEntry = struct({
  by: string,
  what: string,
  target: string,
  who: string,
  text: string,
  refused: string,
  at: number,
})

export const AuditPage: Shape<AuditPage> = struct({
  entries: list(AuditEntry),
})
