/** The current table, for the components around every game: seats, talk, leaving. */
import { getContext, setContext } from 'svelte'
import type { TableExtras } from './extras'
import type { TableLog } from './log.svelte'

/** What every `LiveTable` is, whatever is played there. */
export interface AnyTable {
  readonly code: string
  readonly watch: boolean
  readonly extras: TableExtras | null
  readonly extrasAt: number
  readonly log: TableLog
  readonly talks: boolean
  /** Whether others would miss this visitor in their match. */
  readonly needed: boolean
  waitForSeat(): boolean
  stopWaiting(): boolean
  getUp(): void
  playFor(points: number): boolean
  voteOut(place: number, out: boolean): boolean
  say(text: string): boolean
}

const KEY = Symbol('table')

const BIG_SCREEN = Symbol('big screen')

/** Shown to a whole room: nobody plays or writes there. */
export const setBigScreen = (): boolean => setContext(BIG_SCREEN, true)

export const onBigScreen = (): boolean => getContext<boolean | undefined>(BIG_SCREEN) ?? false

export const setTableHere = (table: AnyTable): AnyTable => setContext(KEY, table)

export const tableHere = (): AnyTable => getContext<AnyTable>(KEY)

/** Where the same is drawn of a replay or a lesson, there is no table. */
export const tableIfAny = (): AnyTable | undefined => getContext<AnyTable | undefined>(KEY)
