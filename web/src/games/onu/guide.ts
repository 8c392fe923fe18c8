import { mark } from '../../lib/messages'
import type { Guide } from '../../lib/guide.svelte'

export const guide: Guide = {
  goal: mark('Be the first to have no cards left. Everybody begins with seven.'),
  turn: [
    mark(
      'Play a card that fits the one on top of the stack: the same colour, the same number or the same effect. A wild fits everything.',
    ),
    mark(
      'If you can’t, or don’t want to, draw a card. You may draw again, or play what you drew, until something was played; at some tables a draw ends the turn.',
    ),
  ],
  words: [
    {
      word: mark('Colours'),
      means: mark(
        'Each has a shape as well: blue is a circle, red a triangle, yellow a star, green a square.',
      ),
    },
    {
      word: mark('Reverse (two arrows)'),
      means: mark('Play goes round the other way. With two players it passes the turn on.'),
    },
    { word: mark('Skip (a barred circle)'), means: mark('The next player is left out.') },
    {
      word: mark('Pick two (+2)'),
      means: mark(
        'The next player draws two cards and then plays as usual. Several such cards do not add up.',
      ),
    },
    {
      word: mark('Wild (W)'),
      means: mark('Fits on everything. The player who plays it chooses the next colour.'),
    },
    {
      word: mark('Wild pick four (+4)'),
      means: mark('A wild after which the next player draws four cards, and then plays.'),
    },
    {
      word: mark('The last card'),
      means: mark(
        'You need not call anything: the page tells everybody. The effect of your last card does not count.',
      ),
    },
    {
      word: mark('Channel'),
      means: mark(
        'The room of the relay in which the table is played. AI characters and other programs sit down from there; what players say there is shown beside their seats.',
      ),
    },
    {
      word: mark('Overlay'),
      means: mark('The table alone, for streaming software. The lobby shows its address.'),
    },
    {
      word: mark('Keys'),
      means: mark(
        'Arrow keys walk along your hand, Enter plays a card, D draws. For a wild: B, R, Y or G, or arrow keys and Enter; Escape keeps the card.',
      ),
    },
  ],
}
