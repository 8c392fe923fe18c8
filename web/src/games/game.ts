/** What a game must bring to be played on this page. */
import type { Component } from 'svelte'
import type { CardFace } from '../cards/faces'
import type { GameInfo, SettingsValues } from '../lib/api'
import type { Guide } from '../lib/guide.svelte'
import type { SettingWords } from '../lib/schema'
import type { Deck } from '../scenes/decks'
import type { BoardProps } from '../scenes/board'

export interface TableProps {
  game: GameInfo
  /** The table's code; empty for a game played alone (`/play/<id>`). */
  code: string
  /** Looking on, without a seat. */
  watch: boolean
  /** The visitor asked to play at once: begin as soon as the table can. */
  eager: boolean
}

export type ScreenProps = Pick<TableProps, 'game' | 'code'>

export interface OverlayProps {
  game: GameInfo
  /** The channel in which the table is played. */
  channel: string
}

export interface GameModule {
  /** `solo`: no table, no code; the hall leads straight to `/play/<id>`. */
  solo: boolean
  /** What stands for the game in the hall: three cards of the deck, a drawing of its own, or the
   *  path of a picture. */
  emblem: [CardFace, CardFace, CardFace] | Component | string
  /** Friendlier words for the settings' names and values. */
  words: SettingWords
  /** How "Play" in the hall opens a table, where that is not two bots and the usual settings. */
  quick?: { bots: number; settings: SettingsValues }
  /** Its goal, its turns and its words, for new players. */
  guide: () => Promise<Guide>
  /** Decks of its own, for whatever draws its scenes. */
  decks?: () => Promise<Record<string, Deck>>
  /** Its own board, for live tables, replays and lessons (`scenes/Board.svelte`). */
  board?: () => Promise<{ default: Component<BoardProps> }>
  /** Its code is fetched when somebody opens a table, not before. */
  load: () => Promise<{ default: Component<TableProps> }>
  /** The table as a whole room sees it (`/<id>/<code>/screen`), where a game has that. */
  loadScreen?: () => Promise<{ default: Component<ScreenProps> }>
  /** The table alone, for streaming software (`/<id>/<channel>/overlay`), where a game has that. */
  loadOverlay?: () => Promise<{ default: Component<OverlayProps> }>
}
