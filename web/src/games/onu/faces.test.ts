import { describe, expect, it } from 'vitest'
import {
  commonestColour,
  compareCards,
  COLOURS,
  faceKey,
  fits,
  SHAPES,
  SHAPE_NAMES,
  spoken,
} from './faces'
import { blank, card, wild } from './recorded'

const pickFour = card(4, -1, 5)

describe('a card', () => {
  it('is called by its colour and what is written on it', () => {
    expect(spoken(card(1, 0))).toBe('red 0')
    expect(spoken(card(0, -1, 1))).toBe('blue reverse')
    expect(spoken(card(3, -1, 2))).toBe('green skip')
    expect(spoken(card(2, -1, 3))).toBe('yellow pick two')
    expect(spoken(wild)).toBe('wild')
    expect(spoken({ ...pickFour, Color: 3 })).toBe('green wild pick four')
    expect(faceKey(blank)).toBe('back')
  })

  it('fits by colour, number or effect; a wild always', () => {
    expect(fits(card(1, 3), card(1, 7))).toBe(true)
    expect(fits(card(0, 7), card(1, 7))).toBe(true)
    expect(fits(card(0, -1, 2), card(1, -1, 2))).toBe(true)
    expect(fits(wild, card(1, 7))).toBe(true)
    expect(fits(pickFour, { ...wild, Color: 2 })).toBe(true)
    expect(fits(card(2, 1), { ...wild, Color: 2 })).toBe(true)
    // Effect cards have no number, and plain ones no effect, to go by.
    expect(fits(card(0, -1, 1), card(1, -1, 2))).toBe(false)
    expect(fits(card(0, 3), card(1, 7))).toBe(false)
    expect(fits(card(0, 3), { ...wild, Color: 2 })).toBe(false)
  })

  it('lies among those of its colour, wilds at the end', () => {
    const hand = [
      wild,
      card(1, -1, 3),
      card(0, 8),
      pickFour,
      card(1, 0),
      card(0, 2),
      card(1, -1, 1),
    ]
    expect(hand.sort(compareCards).map(spoken)).toEqual([
      'blue 2',
      'blue 8',
      'red 0',
      'red reverse',
      'red pick two',
      'wild',
      'wild pick four',
    ])
  })
})

it('a colour can be told by its shape alone', () => {
  expect(new Set(SHAPES).size).toBe(COLOURS.length)
  expect(new Set(SHAPE_NAMES).size).toBe(COLOURS.length)
})

it('the colour to choose is the one there is most of', () => {
  expect(commonestColour([card(1, 2), card(3, 2), card(3, 4), wild])).toBe(3)
  expect(commonestColour([card(2, 2), card(1, 2)])).toBe(1)
  expect(commonestColour([wild])).toBe(0)
})
