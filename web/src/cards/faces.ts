/** A card's face as the drawing needs it, and how it is read aloud. */
import { mark, t, type Label } from '../lib/messages'

export type CardSuit = 'hearts' | 'diamonds' | 'clubs' | 'spades' | 'joker'
export type CardRank =
  'A' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | '10' | 'J' | 'Q' | 'K' | 'W'

/** `W` is a joker; its `colour` says which of the two, where a game tells them apart. */
export interface CardFace {
  suit: CardSuit
  rank: CardRank
  colour?: 'red' | 'black'
}

const SPOKEN: Record<CardRank, Label> = {
  A: mark('ace'),
  2: mark('two'),
  3: mark('three'),
  4: mark('four'),
  5: mark('five'),
  6: mark('six'),
  7: mark('seven'),
  8: mark('eight'),
  9: mark('nine'),
  10: mark('ten'),
  J: mark('jack'),
  Q: mark('queen'),
  K: mark('king'),
  W: mark('joker'),
}

const SUITS: Record<CardSuit, Label> = {
  hearts: mark('hearts'),
  diamonds: mark('diamonds'),
  clubs: mark('clubs'),
  spades: mark('spades'),
  joker: mark('joker'),
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
  if (!face) return t('face-down card')
  if (face.suit === 'joker') {
    if (!face.colour) return t('joker')
    return face.colour === 'red' ? t('red joker') : t('black joker')
  }
  return t('{rank} of {suit}', { rank: t(SPOKEN[face.rank]), suit: t(SUITS[face.suit]) })
}

/** "10♥", for lines that are read with the eyes. */
export function short(face: CardFace): string {
  return face.suit === 'joker' ? 'joker' : face.rank + SIGNS[face.suit]
}

/** The stable hook of tests and styles: "hearts-10", "joker-W", "back". */
export function faceKey(face: CardFace | null): string {
  return face ? `${face.suit}-${face.rank}` : 'back'
}
