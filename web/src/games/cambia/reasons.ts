/** Why something can't be done now, in a sentence; "" where it can. */
import { asked, lockedPlayer, lookedGone, snappable } from './hints'
import { playerOf, type Game } from './state'

export interface Reasons {
  draw: string
  take: string
  discard: string
  call: string
  snap: string
  swap: string
  skip: string
}

/** `picks`: how many cards were chosen for a swap so far. */
export function reasons(game: Game, me: string | null, picks: number): Reasons {
  const now = asked(game, me)
  const toDraw = now === 'draw' ? '' : otherThing(game, me)
  const choosing = now === 'choose' || now === 'decide'
  return {
    draw: toDraw,
    take:
      toDraw ||
      (game.rules.allowDrawFromDiscardPile
        ? ''
        : 'At this table nobody draws from the discard pile.'),
    discard: now === 'place' ? '' : otherThing(game, me),
    call:
      game.caller !== null && now !== 'over'
        ? 'Cambia has been called already.'
        : now === 'place' || choosing
          ? 'Cambia is called at the beginning of a turn, before drawing.'
          : toDraw,
    snap: snapReason(game, me),
    swap: swapReason(game, me, picks),
    skip: choosing ? '' : 'There is no ability to skip now.',
  }
}

/** What is to be done instead. */
function otherThing(game: Game, me: string | null): string {
  switch (asked(game, me)) {
    case 'look':
      return 'The game has not begun yet: look at your cards.'
    case 'over':
      return 'The game is over.'
    case 'owe':
      return 'Hand over one of your cards first.'
    case 'draw':
      return 'Draw a card first.'
    case 'place':
      return 'You have drawn a card: replace one of yours with it, or discard it.'
    case 'choose':
    case 'decide':
      return 'Use the ability of the card you discarded, or skip it.'
    default:
      return game.current === me
        ? 'Your turn is over.'
        : `It is ${playerOf(game, game.current)?.name ?? 'somebody else'}’s turn.`
  }
}

function snapReason(game: Game, me: string | null): string {
  if (snappable(game, me).size > 0) return ''
  const now = asked(game, me)
  if (now === 'look' || now === 'over' || now === 'owe') return otherThing(game, me)
  if (lockedPlayer(game) === me) return 'You called Cambia: your hand is locked.'
  return game.discards === 0 ? 'There is no discard to match.' : 'You have no card to snap.'
}

function swapReason(game: Game, me: string | null, picks: number): string {
  const now = asked(game, me)
  if (now === 'decide') {
    return lookedGone(game) ? 'One of the two cards was snapped away.' : ''
  }
  if (now === 'choose' && game.ability?.special === 'swap_blind') {
    return picks === 2 ? '' : 'Choose two cards to swap.'
  }
  return 'There is nothing to swap now.'
}
