import type { GameModule } from '../game'
import Emblem from './Emblem.svelte'
import { words } from './settings'

export const onu: GameModule = {
  solo: false,
  emblem: Emblem,
  words,
  // Without AI characters at the table, pauses are as short as people need.
  quick: { bots: 2, settings: { pace: 0.25 } },
  guide: async () => (await import('./guide')).guide,
  decks: async () => ({ onu: (await import('./deck')).onuDeck }),
  board: () => import('./Board.svelte'),
  load: () => import('./Table.svelte'),
  loadOverlay: () => import('./Overlay.svelte'),
}
