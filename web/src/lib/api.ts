/** The HTTP control plane: who you are, which games there are, which tables are open. */
import { rooted } from './root'

export interface Me {
  id: string
  name: string
}

export interface Seats {
  min: number
  max: number
}

/** JSON Schema, as far as a settings form needs to know it (see `schema.ts`). */
export type Schema = Record<string, unknown>
export type SettingsValues = Record<string, unknown>

export interface GameInfo {
  id: string
  name: string
  blurb: string
  seats: Seats
  settings: Schema
  defaults: SettingsValues
  sockets: string[]
  bots: boolean
  /** How well its bots can play, the weakest first. */
  strengths: string[]
}

export interface TablePlayer {
  place: number
  name: string
  human: boolean
  present: boolean
}

export interface BroughtPack {
  name: string
  /** Other tables may have it, too. */
  shared: boolean
}

export interface TableInfo {
  code: string
  id: string
  game: string
  public: boolean
  players: TablePlayer[]
  seats: Seats
  running: boolean
  round: number
  settings: SettingsValues
  opened: number
  /** Nobody else may sit down. */
  locked: boolean
  /** What is played with besides the settings, by name (card packs). */
  packs: string[]
  /** Those of them that are this table's own. */
  brought: BroughtPack[]
  /** The place of who alone runs it, if anybody does. */
  host: number | null
  /** Whether this visitor has a seat there. */
  yours: boolean
  /** How many wait for a seat. */
  queue: number
}

/** How the page reaches the server. */
export interface ConnectionInfo {
  /** What links for others begin with; `null`: with the page's own address. */
  link: string | null
}

export interface NewTable {
  game: string
  settings?: SettingsValues
  public?: boolean
  bots?: number
  /** Of those bots. */
  strength?: string
}

/** The server refused, or could not be reached; `message` is a sentence for people. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status: number,
  ) {
    super(message)
  }
}

/** For a game's own routes, too. */
export async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  let answer: Response
  try {
    answer = await fetch(rooted(path), {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
  } catch {
    throw new ApiError('unreachable', 'The server cannot be reached just now.', 0)
  }
  const told: unknown = await answer.json().catch(() => null)
  if (!answer.ok || told === null) {
    const error = (told as { error?: { code?: string; message?: string } } | null)?.error
    throw new ApiError(
      error?.code ?? 'failed',
      error?.message ?? 'That did not work; please try again.',
      answer.status,
    )
  }
  return told as T
}

export const api = {
  me: () => ask<Me>('GET', '/api/me'),
  rename: (name: string) => ask<Me>('PUT', '/api/me', { name }),
  connection: () => ask<ConnectionInfo>('GET', '/api/connection'),
  /** Refused where the server takes this page for somebody else's. */
  checkConnection: () => ask<ConnectionInfo>('POST', '/api/connection'),
  games: async () => (await ask<{ games: GameInfo[] }>('GET', '/api/games')).games,
  /** A page of the list; `after` is the `next` of the page before. */
  tables: (after?: number) =>
    ask<{ tables: TableInfo[]; next?: number }>(
      'GET',
      `/api/tables${after ? `?after=${after}` : ''}`,
    ),
  table: (code: string) => ask<TableInfo>('GET', `/api/tables/${code}`),
  open: (table: NewTable) => ask<TableInfo>('POST', '/api/tables', table),
  addBot: (code: string, strength: string) =>
    ask<TableInfo>('POST', `/api/tables/${code}/bots`, { strength }),
  /** A bot plays for somebody who is away, until they are back. */
  standIn: (code: string, place: number) =>
    ask<TableInfo>('POST', `/api/tables/${code}/bots`, { instead: place }),
  /** Without a place, the bot that came last goes. */
  removeBot: (code: string, bot?: number) =>
    ask<TableInfo>('DELETE', `/api/tables/${code}/bots`, bot === undefined ? {} : { bot }),
  kick: (code: string, place: number, ban: boolean) =>
    ask<TableInfo>('POST', `/api/tables/${code}/kick`, { place, ban }),
  lock: (code: string, locked: boolean) =>
    ask<TableInfo>('PUT', `/api/tables/${code}/lock`, { locked }),
  configure: (code: string, settings: SettingsValues) =>
    ask<TableInfo>('PUT', `/api/tables/${code}/settings`, { settings }),
  bringPack: (code: string, name: string, pack: unknown) =>
    ask<TableInfo>('POST', `/api/tables/${code}/packs`, { name, pack }),
  takePack: (code: string, name: string, table: string) =>
    ask<TableInfo>('POST', `/api/tables/${code}/packs`, { name, table }),
  sharePack: (code: string, name: string, shared: boolean) =>
    ask<TableInfo>('PUT', `/api/tables/${code}/packs`, { name, shared }),
  start: (code: string) => ask<TableInfo>('POST', `/api/tables/${code}/start`),
}
