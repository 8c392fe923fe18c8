/** Cards in words and shapes. Every colour has a shape of its own: nobody needs to see the colour. */

/** By the protocol's number. */
export const COLOURS = ['blue', 'red', 'yellow', 'green'] as const
export const SHAPE_NAMES = ['circle', 'triangle', 'star', 'square'] as const

/** Around (0, 0), about as large as a circle of radius 10. */
export const SHAPES = [
  'M0-10A10 10 0 1 1 0 10 10 10 0 1 1 0-10Z',
  'M0-11Q1.6-11 2.4-9.6L11.4 6.6Q12.6 9.4 9.6 9.6H-9.6Q-12.6 9.4-11.4 6.6L-2.4-9.6Q-1.6-11 0-11Z',
  'M0-12.4L3.7-4.9 12-3.8 6-.2 7.4 10.4 0 6.6-7.4 10.4-6-.2-12-3.8-3.7-4.9Z',
  'M-7-9H7Q9-9 9-7V7Q9 9 7 9H-7Q-9 9-9 7V-7Q-9-9-7-9Z',
] as const

/** A wild that has no colour yet, or a card that lies face down. */
export const NO_COLOUR = 4

export interface Face {
  colour: number
  /** A digit, or what the card does. */
  symbol: string
}

export const colourNumber = (name: string): number =>
  (COLOURS as readonly string[]).indexOf(name.toLowerCase())

/** "red 7", "wild pick 4", "blue wild", as scenes write them. */
export function faceOf(face: string): Face {
  const [first = '', ...rest] = face.split(' ')
  const colour = colourNumber(first)
  return colour < 0 ? { colour: NO_COLOUR, symbol: face } : { colour, symbol: rest.join(' ') }
}
