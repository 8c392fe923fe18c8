import { mark } from '../../lib/messages'
import type { Guide } from '../../lib/guide.svelte'

export const guide: Guide = {
  goal: mark(
    'Hold the lowest cards when the game ends. Four lie face down before you; you look at two of them once, and remember.',
  ),
  turn: [
    mark('Draw a card from the stockpile; only you see it.'),
    mark(
      'Put it in the place of one of your cards and discard that one; or discard what you drew.',
    ),
    mark('If you discard a drawn 7 to king, you may use its ability (below).'),
    mark('Or, instead of drawing: call Cambia, if you think your hand is the lowest.'),
  ],
  words: [
    { word: mark('7 and 8'), means: mark('Look at one of your own cards.') },
    { word: mark('9 and 10'), means: mark('Look at one card of somebody else.') },
    {
      word: mark('Jack and queen'),
      means: mark('Swap any two cards on the table, without looking.'),
    },
    { word: mark('King'), means: mark('Look at any two cards, then swap them or leave them.') },
    {
      word: mark('Points'),
      means: mark(
        'Numbers count what they show, ace 1, jack 11, queen 12, black king 13, red king −1, joker 0.',
      ),
    },
    {
      word: mark('Snap'),
      means: mark(
        'At any time, whoever’s turn it is: if a card of yours has the rank of the top discard, throw it there and be rid of it. Drag it, tap it twice, or press Snap and then the card. After a wrong snap the card comes back, and you take more cards unseen.',
      ),
    },
    {
      word: mark('Cambia'),
      means: mark(
        'Everybody else has one more turn, then all hands are turned up. Your own hand is locked until then. If it is not the lowest after all, you pay for it.',
      ),
    },
    {
      word: mark('The ring'),
      means: mark('Each turn has a time limit. When the ring is empty, the table plays for you.'),
    },
  ],
}
