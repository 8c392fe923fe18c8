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
      label: 'Rules',
      values: { classic: 'Classic', printed: 'Printed' },
    },
    seed: { label: 'Seed' },
  },
  guide: async () => (await import('./guide')).guide,
  board: () => import('./Replayed.svelte'),
  load: () => import('./Table.svelte'),
}
