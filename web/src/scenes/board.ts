import type { Snippet } from 'svelte'
import type { Zone } from '../protocol/extras'
import type { SceneDesk } from './desk.svelte'

/** What every board is handed: at a live table, in a replay and in a lesson (`Board.svelte`). */
export interface BoardProps {
  /** The game's id. */
  game: string
  desk: SceneDesk
  title: string
  /** What to do next, or what is waited for; "": it is said elsewhere. */
  sentence?: string
  /** Under the sentence, for who looks at something that is over: to go on, to go back. */
  controls?: Snippet | undefined
  end?: Snippet | null
  beside?: Snippet | undefined
  besideLabel?: string
  /** More at another player's seat: what they say. */
  atSeat?: Snippet<[number]>
  /** Instead of the names and values of the scene's counters. */
  counters?: Snippet<[Record<string, string | number>]>
  /** Over the middle of the table. */
  above?: Snippet
  /** Draws what lies before a seat, instead of the shared way; `true`: another player's. */
  drawZone?: Snippet<[Zone, boolean]>
  /** The picture of a value that is offered. */
  sign?: Snippet<[string]>
}
