/**
 * The tutorial's script. Its boards are the server's own (`tutorial.json`, recorded from the
 * rules and checked against them), named by lesson and the moves that led there.
 */
import { mark, said, t } from '../../lib/messages'
import type { BoardMessage } from '../../protocol/mo'
import { drawOf } from './layout'
import recorded from './tutorial.json'
import { nameOf } from './words'

const BOARDS = recorded as unknown as Record<string, BoardMessage>

export interface Step {
  board: string
  title: string
  /** A paragraph each. */
  says: string[]
  /** The piles to look at; the board frames them. */
  look?: string[]
  /** The piles the learner may play to now; none: there is only something to read. */
  to?: string[]
  /** Other piles the rules would allow, and why not now. */
  instead?: string
}

export const STEPS: Step[] = [
  {
    board: 'setup',
    title: mark('The table'),
    says: [
      mark(
        'In the middle lie nine inner piles, eight with a card and an empty centre. Around them is room for twelve royals: the jacks, queens and kings.',
      ),
      mark(
        'Always play the top card of the draw pile, at the bottom right. Piles that take it shine. You win when all twelve royals are defeated.',
      ),
    ],
    look: ['e5'],
  },
  {
    board: 'setup',
    title: mark('A royal goes beside its like'),
    says: [
      mark(
        'The king of clubs goes outside, beside the inner card most like it: the highest of its own suit. That is the 10 of clubs on b3, and beside b3 is a3.',
      ),
      mark(
        'Play the king to a3: click the pile, drag the card there, or walk with the arrow keys and press Enter.',
      ),
    ],
    to: ['a3'],
  },
  {
    board: 'setup a3',
    title: mark('No diamond? Then a red card'),
    says: [
      mark(
        'No diamond lies inside, so the queen of diamonds looks for the highest card of her colour: the 6 of hearts on d3. Her place is e3.',
      ),
    ],
    to: ['e3'],
  },
  {
    board: 'setup a3 e3',
    title: mark('A place that is taken'),
    says: [
      mark(
        'The highest black card is the 10 of clubs again, but a3 beside it is taken. Next comes the 7 of clubs on c4, so the jack of spades goes to c5.',
      ),
    ],
    to: ['c5'],
  },
  {
    board: 'setup a3 e3 c5',
    title: mark('Lanes'),
    says: [
      mark(
        'A royal looks along its lane: three inner piles in its row or column. For the king on a3 they are b3, c3 and d3.',
      ),
      mark(
        'The first two together must reach his 13, and for a king both must be of his suit. The 10 of clubs is there, so 3 are missing. The 3 of clubs is next: play it to the centre, c3.',
      ),
    ],
    look: ['b3', 'c3', 'd3'],
    to: ['c3'],
    instead: mark('That pile would take it too, but in the centre it completes the king’s lane.'),
  },
  {
    board: 'setup a3 e3 c5 c3',
    title: mark('The blow'),
    says: [
      mark(
        '10 and 3 make 13, all clubs: the lane is ready and lights up. A card on its far pile strikes. That card itself does not count; it only has to be allowed there.',
      ),
      mark('The 8 of hearts fits on the 6 of hearts. Play it to d3 and defeat the king.'),
    ],
    look: ['d3'],
    to: ['d3'],
    instead: mark('A number may go on any card that is not higher. But on d3 it defeats a king!'),
  },
  {
    board: 'setup a3 e3 c5 c3 d3',
    title: mark('The joker'),
    says: [
      mark(
        'The king lies face down, and his place stays taken. For a queen both cards must be of her colour; for a jack any two will do.',
      ),
      mark(
        'Next is the joker. It goes on the lowest inner card, here the 2 of hearts, and sends the pile below the draw pile: those cards come again. The joker stays and counts 0.',
      ),
    ],
    to: ['c2'],
  },
  {
    board: 'setup a3 e3 c5 c3 d3 c2',
    title: mark('Aces'),
    says: [
      mark(
        'An ace does the same on any inner pile you like. High cards block a pile, because only what is not lower may cover them.',
      ),
      mark('The 10 of clubs has done its work. Bring it back into play: put the ace on b3.'),
    ],
    to: ['b3'],
    instead: mark('An ace may go there, but it is the 10 that is in the way. Try b3.'),
  },
  {
    board: 'midgame',
    title: mark('Two with one blow'),
    says: [
      mark(
        'Another game, later on. Six royals are down. The jack of diamonds on e2 wears armour, the 3 of diamonds, and so counts 14.',
      ),
      mark(
        'The 6 of clubs fits on b2, b3 and c4. Two lanes end on one of these, and both are ready: 10 and 7 against the jack on e2, 8 and 5 against the jack on b5. Find the pile that defeats both.',
      ),
    ],
    look: ['e2', 'b5'],
    to: ['b2'],
    instead: mark('That is allowed, but defeats nobody. Where do both jacks’ lanes end?'),
  },
  {
    board: 'midgame b2',
    title: mark('Keeping piles low'),
    says: [
      mark(
        'Both are down! Now the 9 of hearts. It fits nearly everywhere, and defeats nobody yet.',
      ),
      mark(
        'Whatever it covers is lost for the lanes until an ace or the joker comes. The ace on c4 is the smallest loss.',
      ),
    ],
    to: ['c4'],
    instead: mark('That would cover a card that a lane needs. Cover the ace on c4 instead.'),
  },
  {
    board: 'midgame b2 c4',
    title: mark('Armour'),
    says: [
      mark(
        'The 4 of hearts fits no inner pile: all are higher. Such a card becomes armour of a living royal and makes it stronger by 4. No royal may count more than 20.',
      ),
      mark(
        'Give it to whom you like; all three can take it. Armour on the queen costs you a lane that was ready.',
      ),
    ],
    to: ['b1', 'a2', 'e3'],
  },
  {
    board: 'midgame b2 c4 *',
    title: mark('That is all'),
    says: [
      mark(
        'A game is lost when the next card has no place, when the draw pile is empty, or when the same position comes a third time. You may take back as many moves as you like.',
      ),
      mark(
        'Look through an inner pile with its little number (or a long press, or the P key), and ask for a hint with H when you are stuck. Have fun!',
      ),
    ],
  },
]

/** Where a learner is: the step, and the moves they chose where there was a choice. */
export interface Place {
  at: number
  board: BoardMessage
  key: string
}

export const START: Place = { at: 0, board: BOARDS['setup']!, key: 'setup' }

/** The step after this one; `to` is the pile played to, if one was asked for. */
export function onward(place: Place, to: string | null): Place | null {
  const next = STEPS[place.at + 1]
  if (!next) return null
  const key = to === null || !next.board.endsWith('*') ? next.board : `${place.key} ${to}`
  return { at: place.at + 1, board: BOARDS[key]!, key }
}

/** Back to the step before; a choice made there is made anew. */
export function back(place: Place): Place {
  const at = Math.max(0, place.at - 1)
  const key = STEPS[at]!.board
  return { at, board: BOARDS[key]!, key }
}

/** A kind sentence about a pile that is not the one to play to now. */
export function correction(place: Place, pile: string): string {
  const step = STEPS[place.at]!
  if (!step.to) return t('Nothing to play yet: read on first.')
  const { top } = drawOf(place.board)
  const card = top ? nameOf(top) : 'card'
  if (!place.board.valid.includes(pile)) {
    return t('Not quite: {pile} does not take the {card}. Look for a pile that shines.', {
      pile,
      card,
    })
  }
  return step.instead
    ? said(step.instead)
    : t('Not quite: try {piles}.', { piles: step.to.join(', ') })
}
