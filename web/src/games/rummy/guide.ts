import { mark } from '../../lib/messages'
import type { Guide } from '../../lib/guide.svelte'

export const guide: Guide = {
  goal: mark(
    'Be the first to have no cards left. You then gain the points of all the cards the others still hold; the most points after as many rounds as you like win.',
  ),
  turn: [
    mark('Draw one card: the top of the deck, or the top of the discard pile.'),
    mark('If you can and want to, meld, and lay cards on melds that lie there.'),
    mark('Discard one card. That ends your turn.'),
  ],
  words: [
    {
      word: mark('Meld'),
      means: mark(
        'Three or more cards that belong together, laid open on the table: pick them in your hand and press Meld. “Find” picks one for you, or a card that fits a meld on the table.',
      ),
    },
    { word: mark('Set'), means: mark('A meld of one rank in different suits: 7♥ 7♣ 7♠.') },
    {
      word: mark('Run'),
      means: mark('A meld of one suit in order: 4♦ 5♦ 6♦. An ace is low: A 2 3.'),
    },
    {
      word: mark('Lay'),
      means: mark(
        'Add a card to any meld on the table, whoever melded it. Cards of yours that would go somewhere are marked “fits”.',
      ),
    },
    {
      word: mark('Going out'),
      means: mark(
        'Melding, laying or discarding your last card ends the round. Whoever had laid nothing down before that turn gains double.',
      ),
    },
    {
      word: mark('Points'),
      means: mark('Numbers count what they show, ace 1, jack, queen and king 10, a joker 15.'),
    },
    {
      word: mark('Joker'),
      means: mark('Where the table plays with jokers, one stands for any card of a meld.'),
    },
    {
      word: mark('This table'),
      means: mark(
        'Rules can differ: mixed suits, high aces, the last card to be discarded. The lobby shows what this table plays by.',
      ),
    },
  ],
}
