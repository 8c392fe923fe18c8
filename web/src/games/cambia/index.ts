import type { GameModule } from '../game'
import { words } from './settings'

export const cambia: GameModule = {
  solo: false,
  emblem: [
    { suit: 'spades', rank: '7' },
    { suit: 'joker', rank: 'W', colour: 'red' },
    { suit: 'diamonds', rank: 'K' },
  ],
  words,
  // The first game has no clock; tables that people make have one.
  quick: { bots: 2, settings: { houseRules: { turnTimerSec: 0 } } },
  guide: async () => (await import('./guide')).guide,
  board: () => import('./Board.svelte'),
  load: () => import('./Table.svelte'),
}
