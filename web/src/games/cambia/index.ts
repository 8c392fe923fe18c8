import { withMessages } from '../../lib/messages'
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
  guide: async () => (await withMessages(import('./guide'), 'cambia-guide')).guide,
  board: () => withMessages(import('./Board.svelte'), 'table', 'cambia'),
  load: () => withMessages(import('./Table.svelte'), 'table', 'cambia'),
}
