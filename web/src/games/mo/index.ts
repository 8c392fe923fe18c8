import { mark, withMessages } from '../../lib/messages'
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
  guide: async () => (await withMessages(import('./guide'), 'mo-guide')).guide,
  board: () => withMessages(import('./Replayed.svelte'), 'table', 'mo'),
  load: () => withMessages(import('./Table.svelte'), 'table', 'mo'),
}
