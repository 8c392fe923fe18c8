import { mark } from '../../lib/messages'
import type { Guide } from '../../lib/guide.svelte'

export const guide: Guide = {
  goal: mark(
    'Line up numbers in the nine inner piles and bring down the twelve royals around them. The top card of the draw pile must be played; piles that take it shine.',
  ),
  turn: [],
  words: [
    {
      word: mark('Royals'),
      means: mark(
        'J, Q and K go outside, beside the inner top card most like them: the highest of their suit, else of their colour, else the highest of all, wherever there is room beside it.',
      ),
    },
    {
      word: mark('Numbers'),
      means: mark('2 to 10 go on any inner pile that is empty or whose top card is not higher.'),
    },
    {
      word: mark('Ace'),
      means: mark(
        'Goes on any inner pile. What lay there goes below the draw pile, top card first; the ace stays.',
      ),
    },
    {
      word: mark('Joker'),
      means: mark('Does the same, but only on the lowest inner top card. It counts 0.'),
    },
    {
      word: mark('Armour'),
      means: mark(
        'A number that fits no inner pile is laid on a living royal, which then counts that much more, but never more than 20.',
      ),
    },
    {
      word: mark('Attack'),
      means: mark(
        'A card played on the far pile of a royal’s lane attacks it: the two cards nearer to the royal must reach what it counts. For a jack any two will do, for a queen both must be of her colour, for a king both of his suit.',
      ),
    },
    {
      word: mark('The end'),
      means: mark(
        'Won: all twelve are face down. Lost: the next card has no place, the draw pile is empty, or the same position comes a third time.',
      ),
    },
    {
      word: mark('Printed rules'),
      means: mark(
        'As in the printed game: two jokers, which may also go to the empty centre; armour goes to the royal most like it, the lowest first, and before there is one it waits where a royal would go; a royal above 20 loses the game.',
      ),
    },
  ],
}
