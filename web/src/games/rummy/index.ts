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
  guide: async () => (await import('./guide')).guide,
  load: () => import('./Table.svelte'),
}
