/**
 * What is written on a card, as strokes: 16 high around (0, 0), 3 thick. Drawn rather than typed,
 * so that it looks the same everywhere and is no text beside the card's name.
 */
const DIGITS = [
  'M0-8C-4.5-8-5-3.5-5 0S-4.5 8 0 8 5 3.5 5 0 4.5-8 0-8Z',
  'M-3.6-4.4L.8-8V8',
  'M-4.6-4C-4.4-6.7-2.4-8 0-8 2.8-8 4.6-6.2 4.6-3.7 4.6 0-4 4-5 8H5',
  'M-4.5-6C-3.4-7.4-1.8-8-.1-8 2.7-8 4.2-6.4 4.2-4.2 4.2-1.9 2.4-.4-.8-.4 2.8-.4 5 1.2 5 3.8 5 6.4 2.9 8 0 8-2 8-3.8 7.3-5 5.8',
  'M2.6 8V-8L-5.4 3.4H5.6',
  'M4.2-8H-3.6L-4.4-.8C-3.2-1.8-1.7-2.3-.2-2.3 2.9-2.3 5-.3 5 2.8 5 6 2.9 8-.2 8-2.3 8-4 7.3-5 5.9',
  'M3.6-7C-1.4-8.6-5-3.6-5 2.4-5 6-2.9 8 0 8S5 5.8 5 2.9 3-2 .2-2C-2.6-2-4.9 0-5 2.6',
  'M-4.8-8H5L-1.4 8',
  'M0-.6C-2.6-.6-4.2-2.2-4.2-4.3S-2.6-8 0-8 4.2-6.4 4.2-4.3 2.6-.6 0-.6ZM0-.6C-3-.6-5 1.2-5 3.7S-3 8 0 8 5 6.2 5 3.7 3-.6 0-.6Z',
  'M-3.6 7C1.4 8.6 5 3.6 5-2.4 5-6 2.9-8 0-8S-5-5.8-5-2.9-3 2-.2 2C2.6 2 4.9 0 5-2.6',
]
const PLUS = 'M-4.4 0H4.4M0-4.4V4.4'
const TWO_ARROWS = 'M-9-4.5H8M3.6-8.8L8-4.5 3.6-.2M9 4.5H-8M-3.6.2L-8 4.5-3.6 8.8'
const BARRED = 'M0-8.4A8.4 8.4 0 1 1 0 8.4 8.4 8.4 0 1 1 0-8.4ZM-5.8 5.8L5.8-5.8'
const W = 'M-8-8L-4.4 8 0-6 4.4 8 8-8'

/** A stroke, and how far right of the middle it goes. */
export interface Stroke {
  path: string
  x: number
}

const alone = (path: string | undefined): Stroke[] => [{ path: path ?? '', x: 0 }]

const plus = (digit: number): Stroke[] => [
  { path: PLUS, x: -7.5 },
  { path: DIGITS[digit] ?? '', x: 6 },
]

const SIGNS: Record<string, Stroke[]> = {
  reverse: alone(TWO_ARROWS),
  skip: alone(BARRED),
  'pick 2': plus(2),
  wild: alone(W),
  'wild pick 4': plus(4),
}

/** Of a digit, or of what a card does. */
export const signOf = (symbol: string): Stroke[] => SIGNS[symbol] ?? alone(DIGITS[Number(symbol)])
