import type { GameModule } from '../game'
import Emblem from './Emblem.svelte'
import { words } from './settings'

export const quips: GameModule = {
  solo: false,
  emblem: Emblem,
  words,
  // Alone among bots that do not judge, one would do nothing else.
  quick: { bots: 3, settings: { bot_czars: true } },
  guide: async () => (await import('./guide')).guide,
  board: () => import('./Board.svelte'),
  load: () => import('./Table.svelte'),
  loadScreen: () => import('./Screen.svelte'),
}
