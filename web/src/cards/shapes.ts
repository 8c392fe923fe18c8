/** Every line of the deck: suits, numerals and where pips lie. A card is 250 × 350. */
import type { CardRank, CardSuit } from './faces'

/** Each suit fills a box of 100 × 100. */
export const SUITS: Record<Exclude<CardSuit, 'joker'>, string> = {
  hearts:
    'M50 92C22 68 6 50 6 31 6 16 17 6 29 6 39 6 46 12 50 21 54 12 61 6 71 6 83 6 94 16 94 31 94 50 78 68 50 92Z',
  diamonds: 'M50 3C58 21 70 37 87 50 70 63 58 79 50 97 42 79 30 63 13 50 30 37 42 21 50 3Z',
  clubs:
    'M50 5A22 22 0 0 1 67 41 22 22 0 1 1 54 70C55 82 59 91 67 96H33C41 91 45 82 46 70A22 22 0 1 1 33 41 22 22 0 0 1 50 5Z',
  spades:
    'M50 4C56 21 93 40 93 64 93 77 83 84 73 84 65 84 58 80 53.5 73 54.5 83 59 91 67 96H33C41 91 45.5 83 46.5 73 42 80 35 84 27 84 17 84 7 77 7 64 7 40 44 21 50 4Z',
}

/** Numerals as single strokes in a box of 60 × 84: one weight, the same on every machine. */
export const NUMERALS: Record<Exclude<CardRank, 'W'>, string> = {
  A: 'M5 79L30 6 55 79M14 54H46',
  2: 'M8 27C8 13 18 6 30 6 43 6 52 14 52 26 52 44 22 54 8 78H54',
  3: 'M9 7H50L28 34C43 34 53 43 53 56 53 70 43 78 29 78 18 78 10 73 6 64',
  4: 'M42 79V6L6 57H56',
  5: 'M50 7H16L12 38C16 34 22 32 29 32 43 32 53 41 53 55 53 69 43 78 28 78 18 78 10 74 6 66',
  6: 'M46 7C26 16 8 36 8 55 8 69 17 78 30 78 43 78 53 69 53 56 53 43 43 35 31 35 20 35 10 42 8 54',
  7: 'M7 7H53C40 28 28 52 24 79',
  8: 'M30 6C18 6 10 13 10 23 10 33 18 39 30 39 42 39 50 33 50 23 50 13 42 6 30 6ZM30 39C16 39 7 47 7 58 7 70 16 78 30 78 44 78 53 70 53 58 53 47 44 39 30 39Z',
  9: 'M14 78C34 69 52 48 52 29 52 15 43 6 30 6 17 6 7 15 7 28 7 41 17 49 29 49 40 49 50 42 52 30',
  10: 'M2 20L13 9V79M44 6C33 6 27 19 27 42 27 66 33 78 44 78 55 78 61 66 61 42 61 19 55 6 44 6Z',
  J: 'M24 7H46V56C46 70 38 78 26 78 15 78 7 71 6 60',
  Q: 'M30 6C15 6 5 20 5 42 5 64 15 78 30 78 45 78 55 64 55 42 55 20 45 6 30 6ZM34 58L56 82',
  K: 'M9 6V79M52 6L9 50M25 34L55 79',
}

const L = 98
const M = 125
const R = 152
const rows = (top: number, n: number): number[] =>
  Array.from({ length: n }, (_, row) => top + (row * 2 * (175 - top)) / (n - 1))
const both = (ys: number[]): [number, number][] =>
  ys.flatMap((y): [number, number][] => [
    [L, y],
    [R, y],
  ])

/** Where the pips' centres lie; those below the middle stand on their heads. */
export const PIPS: Partial<Record<CardRank, [number, number][]>> = {
  2: [
    [M, 70],
    [M, 280],
  ],
  3: [
    [M, 70],
    [M, 175],
    [M, 280],
  ],
  4: both(rows(76, 2)),
  5: [...both(rows(76, 2)), [M, 175]],
  6: both(rows(70, 3)),
  7: [...both(rows(70, 3)), [M, 122]],
  8: [...both(rows(70, 3)), [M, 122], [M, 228]],
  9: [...both(rows(58, 4)), [M, 175]],
  10: [...both(rows(58, 4)), [M, 97], [M, 253]],
}
