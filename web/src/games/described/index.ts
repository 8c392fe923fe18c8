/** Any game that describes itself by scenes: what it brings to this page is what the server says. */
import { t, withMessages } from '../../lib/messages'
import type { GameInfo } from '../../lib/api'
import type { CardFace, CardRank } from '../../cards/faces'
import type { GameModule } from '../game'

const RANKS: readonly CardRank[] = ['A', '7', '8', '9', '10', 'J', 'Q', 'K']

/** Three cards of one rank, another rank for each game. */
function cardsOf(id: string): [CardFace, CardFace, CardFace] {
  const sum = [...id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0)
  const rank = RANKS[sum % RANKS.length]!
  return [
    { suit: 'spades', rank },
    { suit: 'hearts', rank },
    { suit: 'clubs', rank },
  ]
}

export const described = (game: GameInfo): GameModule => ({
  solo: false,
  emblem: game.brings.includes('emblem.svg') ? `/package/${game.id}/emblem.svg` : cardsOf(game.id),
  words: {},
  guide: async () => ({
    goal: game.blurb,
    turn: [
      t('The line above your cards says what to do next.'),
      t('Press a card or a pile that is lit, or a button under the line.'),
    ],
    words: [],
  }),
  decks: async () =>
    (await withMessages(import('../../scenes/decks'), 'table')).broughtDecks(game.id, game.brings),
  ...(game.brings.includes('board.js') && {
    board: () => withMessages(import('./OwnBoard.svelte'), 'table'),
  }),
  load: () => withMessages(import('./Table.svelte'), 'table'),
})
