import { mark } from '../../lib/messages'
import type { GameModule } from '../game'

export const mo: GameModule = {
  solo: true,
  emblem: [
    { suit: 'clubs', rank: '10' },
    { suit: 'spades', rank: 'K' },
    { suit: 'hearts', rank: '7' },
  ],
  words: {
    profile: {
      label: mark('Rules'),
      values: { classic: mark('Classic'), printed: mark('Printed') },
    },
    seed: { label: mark('Seed') },
  },
  guide: async () => (await import('./guide')).guide,
  board: () => import('./Replayed.svelte'),
  load: () => import('./Table.svelte'),
}
