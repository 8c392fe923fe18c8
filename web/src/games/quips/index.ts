import { withMessages } from '../../lib/messages'
import type { GameModule } from '../game'
import Emblem from './Emblem.svelte'
import { words } from './settings'

export const quips: GameModule = {
  solo: false,
  emblem: Emblem,
  words,
  // Alone among bots that do not judge, one would do nothing else.
  quick: { bots: 3, settings: { bot_czars: true } },
  guide: async () => (await withMessages(import('./guide'), 'quips-guide')).guide,
  board: () => withMessages(import('./Board.svelte'), 'table', 'quips'),
  load: () => withMessages(import('./Table.svelte'), 'table', 'quips'),
  loadScreen: () => withMessages(import('./Screen.svelte'), 'table', 'quips', 'quips-aside'),
}
