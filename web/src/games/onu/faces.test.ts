import { expect, it } from 'vitest'
import { onuDeck } from './deck'
import { COLOURS, faceOf, SHAPE_NAMES, SHAPES } from './faces'

it('a face is a colour and what is written on it', () => {
  expect(faceOf('red 7')).toEqual({ colour: 1, symbol: '7' })
  expect(faceOf('green pick 2')).toEqual({ colour: 3, symbol: 'pick 2' })
  expect(faceOf('wild pick 4')).toEqual({ colour: 4, symbol: 'wild pick 4' })
  expect(faceOf('blue wild')).toEqual({ colour: 0, symbol: 'wild' })
  expect(onuDeck.spoken('green wild pick 4')).toBe('green wild pick four')
})

it('a hand lies by colour, wilds at the end; or by number', () => {
  const hand = ['wild', 'red pick 2', 'blue 8', 'wild pick 4', 'red 0', 'blue 2', 'red reverse']
  const sorted = (order: string): string[] =>
    hand.toSorted((a, b) => onuDeck.orders[order]!(a) - onuDeck.orders[order]!(b))
  expect(sorted('colour')).toEqual([
    'blue 2',
    'blue 8',
    'red 0',
    'red reverse',
    'red pick 2',
    'wild',
    'wild pick 4',
  ])
  expect(sorted('number').slice(0, 3)).toEqual(['red 0', 'blue 2', 'blue 8'])
})

it('a colour can be told by its shape alone', () => {
  expect(new Set(SHAPES).size).toBe(COLOURS.length)
  expect(new Set(SHAPE_NAMES).size).toBe(COLOURS.length)
})
