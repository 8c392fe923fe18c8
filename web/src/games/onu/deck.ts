/** ONU's cards as scenes name them: how they are drawn, called and sorted. */
import { said } from '../../lib/messages'
import type { Deck } from '../../scenes/decks'
import Card from './Card.svelte'
import { faceOf, NO_COLOUR } from './faces'

const SYMBOLS = [...'0123456789', 'reverse', 'skip', 'pick 2', 'wild', 'wild pick 4']

export const onuDeck: Deck = {
  card: Card,
  spoken: (face) => said(face.replace('pick 2', 'pick two').replace('pick 4', 'pick four')),
  orders: {
    /** Colours in order, in each the numbers and then the effects; wilds last. */
    colour: (face) => {
      const { colour, symbol } = faceOf(face)
      return (symbol.startsWith('wild') ? NO_COLOUR : colour) * 100 + SYMBOLS.indexOf(symbol)
    },
    number: (face) => {
      const { colour, symbol } = faceOf(face)
      return SYMBOLS.indexOf(symbol) * 100 + colour
    },
  },
}
