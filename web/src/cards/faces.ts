/** A card's face as the drawing needs it, and how it is read aloud. */

export type CardSuit = 'hearts' | 'diamonds' | 'clubs' | 'spades' | 'joker'
export type CardRank =
  'A' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | '10' | 'J' | 'Q' | 'K' | 'W'

/** `W` is a joker; its `colour` says which of the two, where a game tells them apart. */
export interface CardFace {
  suit: CardSuit
  rank: CardRank
  colour?: 'red' | 'black'
}

const SPOKEN: Record<CardRank, string> = {
  A: 'ace',
  2: 'two',
  3: 'three',
  4: 'four',
  5: 'five',
  6: 'six',
  7: 'seven',
  8: 'eight',
  9: 'nine',
  10: 'ten',
  J: 'jack',
  Q: 'queen',
  K: 'king',
  W: 'joker',
}

const SIGNS: Record<CardSuit, string> = {
  hearts: '♥',
  diamonds: '♦',
  clubs: '♣',
  spades: '♠',
  joker: '★',
}

/** "ten of hearts", "red joker", "face-down card". */
export function spoken(face: CardFace | null): string {
  if (!face) return 'face-down card'
  if (face.suit === 'joker') return face.colour ? `${face.colour} joker` : 'joker'
  return `${SPOKEN[face.rank]} of ${face.suit}`
}

/** "10♥", for lines that are read with the eyes. */
export function short(face: CardFace): string {
  return face.suit === 'joker' ? 'joker' : face.rank + SIGNS[face.suit]
}

/** The stable hook of tests and styles: "hearts-10", "joker-W", "back". */
export function faceKey(face: CardFace | null): string {
  return face ? `${face.suit}-${face.rank}` : 'back'
}
