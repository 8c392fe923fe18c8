import { withMessages } from '../../lib/messages'
import type { GameModule } from '../game'
import { words } from './settings'

export const rummy: GameModule = {
  solo: false,
  emblem: [
    { suit: 'hearts', rank: 'J' },
    { suit: 'hearts', rank: 'Q' },
    { suit: 'hearts', rank: 'K' },
  ],
  words,
  guide: async () => (await withMessages(import('./guide'), 'rummy-guide')).guide,
  load: () => withMessages(import('./Table.svelte'), 'table', 'rummy'),
}
