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
  load: () => import('./Table.svelte'),
}
