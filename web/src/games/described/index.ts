/** Any game that describes itself by scenes: what it brings to this page is what the server says. */
import type { GameInfo } from '../../lib/api'
import type { GameModule } from '../game'

export const described = (game: GameInfo): GameModule => ({
  solo: false,
  emblem: [
    { suit: 'spades', rank: 'A' },
    { suit: 'hearts', rank: 'A' },
    { suit: 'clubs', rank: 'A' },
  ],
  words: {},
  guide: async () => ({
    goal: game.blurb,
    turn: [
      'The line above your cards says what to do next.',
      'Press a card or a pile that is lit, or a button under the line.',
    ],
    words: [],
  }),
  load: () => import('./Table.svelte'),
})
