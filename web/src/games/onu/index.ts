import { withMessages } from '../../lib/messages'
import type { GameModule } from '../game'
import Emblem from './Emblem.svelte'
import { words } from './settings'

export const onu: GameModule = {
  solo: false,
  emblem: Emblem,
  words,
  // Without AI characters at the table, pauses are as short as people need.
  quick: { bots: 2, settings: { pace: 0.25 } },
  guide: async () => (await withMessages(import('./guide'), 'onu-guide')).guide,
  decks: async () => ({ onu: (await withMessages(import('./deck'), 'onu')).onuDeck }),
  board: () => withMessages(import('./Board.svelte'), 'table', 'onu'),
  load: () => withMessages(import('./Table.svelte'), 'table', 'onu'),
  loadOverlay: () => withMessages(import('./Overlay.svelte'), 'table', 'onu'),
}
