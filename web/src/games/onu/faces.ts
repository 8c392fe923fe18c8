/** Cards in words and shapes. Every colour has a shape of its own: nobody needs to see the colour. */
import type { Card } from './messages'

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

/** Colour 4: a wild that has none yet, or a card that lies face down. */
export const NO_COLOUR = 4

export const NONE = 0
export const REVERSE = 1
export const SKIP = 2
export const PICK_2 = 3
export const WILD = 4
export const WILD_PICK_4 = 5

const EFFECTS = ['', 'reverse', 'skip', 'pick two', 'wild', 'wild pick four'] as const

export const isBlank = (card: Card): boolean => card.Number < 0 && card.Effect === NONE

export const isWild = (card: Card): boolean => card.Effect === WILD || card.Effect === WILD_PICK_4

export const colourName = (colour: number): string => COLOURS[colour] ?? 'no colour'

/** "red 7", "blue reverse", "wild", "green wild pick four". */
export function spoken(card: Card): string {
  if (isBlank(card)) return 'face-down card'
  const symbol = card.Effect === NONE ? String(card.Number) : (EFFECTS[card.Effect] ?? 'card')
  return card.Color === NO_COLOUR ? symbol : `${colourName(card.Color)} ${symbol}`
}

/** "red-7", for tests and flights; "back" lies face down. */
export const faceKey = (card: Card): string =>
  isBlank(card) ? 'back' : spoken(card).replaceAll(' ', '-')

/** Colours in order, in each the numbers and then the effects; wilds last. */
export function compareCards(a: Card, b: Card): number {
  const rank = (card: Card): number => {
    const colour = isWild(card) ? NO_COLOUR : card.Color
    return colour * 100 + (card.Effect === NONE ? card.Number : 50 + card.Effect)
  }
  return rank(a) - rank(b)
}

/** Whether it can be played: a hint; the server decides. */
export function fits(card: Card, top: Card): boolean {
  return (
    isWild(card) ||
    card.Color === top.Color ||
    (card.Number >= 0 && card.Number === top.Number) ||
    (card.Effect !== NONE && card.Effect === top.Effect)
  )
}

/** The colour of which this hand has most, the first of equals; for a wild. */
export function commonestColour(hand: readonly Card[]): number {
  const counts = COLOURS.map((_, colour) => hand.filter((card) => card.Color === colour).length)
  return counts.indexOf(Math.max(...counts))
}
