/** The HTTP control plane: who you are, which games there are, which tables are open. */
import { loadRefusals, said, t } from './messages'
import { ConnectionInfo, Games, Me, TableInfo, Tables, type NewTable } from '../protocol/api'
import { fits, UNREADABLE } from './misfits'
import { rooted } from './root'
import { string, struct, type Shape } from './shapes'

export type {
  BroughtPack,
  GameInfo,
  Me,
  NewTable,
  PlayerInfo as TablePlayer,
  SeatsInfo as Seats,
  TableInfo,
} from '../protocol/api'

/** JSON Schema, as far as a settings form needs to know it (see `schema.ts`). */
export type Schema = Record<string, unknown>
export type SettingsValues = Record<string, unknown>

/** How the server says no. */
interface Refusal {
  error: { code: string; message: string }
}
const Refusal: Shape<Refusal> = struct({ error: struct({ code: string, message: string }) })

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

/** Asks the server, whose answer must have this shape. For a game's own routes, too. */
export async function ask<T>(
  shape: Shape<T>,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  let answer: Response
  try {
    answer = await fetch(rooted(path), {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
  } catch {
    throw new ApiError('unreachable', t('The server cannot be reached. Try again in a moment.'), 0)
  }
  const told: unknown = await answer.json().catch(() => null)
  if (answer.ok) {
    if (fits(shape, told, `answer to ${method} ${path}`)) return told
    throw new ApiError('unreadable', t(UNREADABLE), answer.status)
  }
  const { code, message } = Refusal(told)
    ? { code: 'failed', message: t('The server answered with an error. Please try again.') }
    : (told as Refusal).error
  await loadRefusals()
  throw new ApiError(code, said(message), answer.status)
}

export const api = {
  me: () => ask(Me, 'GET', '/api/me'),
  rename: (name: string) => ask(Me, 'PUT', '/api/me', { name }),
  connection: () => ask(ConnectionInfo, 'GET', '/api/connection'),
  /** Refused if the server does not accept this page's origin. */
  checkConnection: () => ask(ConnectionInfo, 'POST', '/api/connection'),
  games: async () => (await ask(Games, 'GET', '/api/games')).games,
  /** A page of the list; `after` is the `next` of the page before. */
  tables: (after?: number) => ask(Tables, 'GET', `/api/tables${after ? `?after=${after}` : ''}`),
  table: (code: string) => ask(TableInfo, 'GET', `/api/tables/${code}`),
  open: (table: NewTable) => ask(TableInfo, 'POST', '/api/tables', table),
  addBot: (code: string, strength: string) =>
    ask(TableInfo, 'POST', `/api/tables/${code}/bots`, { strength }),
  /** A bot plays for somebody who is away, until they are back. */
  standIn: (code: string, place: number) =>
    ask(TableInfo, 'POST', `/api/tables/${code}/bots`, { instead: place }),
  /** Without a place, the bot that came last goes. */
  removeBot: (code: string, bot?: number) =>
    ask(TableInfo, 'DELETE', `/api/tables/${code}/bots`, bot === undefined ? {} : { bot }),
  kick: (code: string, place: number, ban: boolean) =>
    ask(TableInfo, 'POST', `/api/tables/${code}/kick`, { place, ban }),
  lock: (code: string, locked: boolean) =>
    ask(TableInfo, 'PUT', `/api/tables/${code}/lock`, { locked }),
  configure: (code: string, settings: SettingsValues) =>
    ask(TableInfo, 'PUT', `/api/tables/${code}/settings`, { settings }),
  bringPack: (code: string, name: string, pack: unknown) =>
    ask(TableInfo, 'POST', `/api/tables/${code}/packs`, { name, pack }),
  takePack: (code: string, name: string, table: string) =>
    ask(TableInfo, 'POST', `/api/tables/${code}/packs`, { name, table }),
  sharePack: (code: string, name: string, shared: boolean) =>
    ask(TableInfo, 'PUT', `/api/tables/${code}/packs`, { name, shared }),
  start: (code: string) => ask(TableInfo, 'POST', `/api/tables/${code}/start`),
}
