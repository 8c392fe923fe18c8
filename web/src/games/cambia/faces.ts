/** Cambia's faces as the deck draws them, and as tests and styles name them. */
import type { CardFace, CardRank, CardSuit } from '../../cards/faces'
import type { Suit } from './messages'
import type { Face } from './state'

const SUITS: Record<Suit, CardSuit> = {
  H: 'hearts',
  D: 'diamonds',
  C: 'clubs',
  S: 'spades',
  R: 'joker',
  B: 'joker',
}

export function drawn(face: Face | null | undefined): CardFace | null {
  if (!face) return null
  const suit = SUITS[face.suit]
  if (suit === 'joker') return { suit, rank: 'W', colour: face.suit === 'R' ? 'red' : 'black' }
  return { suit, rank: (face.rank === 'T' ? '10' : face.rank) as CardRank }
}

/** "KH", "TC", "OR"; "back" for what lies face down. */
export const key = (face: Face | null | undefined): string =>
  face ? face.rank + face.suit : 'back'
