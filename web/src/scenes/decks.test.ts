import { expect, test } from 'vitest'
import { arranged, cardFace, DECKS, french, moved, spokenThing, spokenZone } from './decks'

const HAND = { id: 'h', label: 'Hand', look: 'hand' as const }

test('a face is a card of the French deck', () => {
  expect(cardFace('10♥')).toEqual({ suit: 'hearts', rank: '10' })
  expect(cardFace('joker')).toEqual({ suit: 'joker', rank: 'W' })
  expect(cardFace(undefined)).toBeNull()
})

test('things are read aloud with what is said of them', () => {
  expect(spokenThing(french, { id: 't', face: 'A♠', marks: ['just drawn'] })).toBe(
    'ace of spades, just drawn',
  )
  expect(spokenThing(DECKS['dice']!, { id: 't', face: '4' })).toBe('4')
})

test('zones say how much in them cannot be seen', () => {
  expect(
    spokenZone('Ben’s hand', { ...HAND, things: [{ id: 'a' }, { id: 'b', face: '2♥' }] }),
  ).toBe('Ben’s hand, 1 face down')
  // Cards that lie below what is shown.
  expect(spokenZone('Ben’s hand', { ...HAND, things: [{ id: 'a' }], more: 4 })).toBe(
    'Ben’s hand, 5 face down',
  )
  // More are there than are shown.
  expect(spokenZone('Ben’s hand', { ...HAND, things: [{ id: 'a' }], more: 4 })).toBe(
    'Ben’s hand, 5 face down',
  )
  expect(spokenZone('Stock', { ...HAND, look: 'pile' })).toBe('Stock, empty')
  expect(spokenZone('Stock', { ...HAND, look: 'pile', things: [{ id: 'a' }], more: 4 })).toBe(
    'Stock, 5 in all',
  )
})

const things = ['K♠', 'joker', 'A♣', '10♣', 'A♠'].map((face, at) => ({ id: `t${at}`, face }))
const faces = (order: string, own: string[] = []) =>
  arranged(things, french, { order, own }).map(({ face }) => face)

test('a hand is sorted by suit, by rank or by hand; jokers come last', () => {
  expect(faces('suit')).toEqual(['A♣', '10♣', 'A♠', 'K♠', 'joker'])
  expect(faces('rank')).toEqual(['A♣', 'A♠', '10♣', 'K♠', 'joker'])
  // What came since lies at the end.
  expect(faces('', ['t3', 't0'])).toEqual(['10♣', 'K♠', 'joker', 'A♣', 'A♠'])
})

test('things are put before another one', () => {
  expect(moved(['a', 'b', 'c', 'd'], ['a', 'c'], 4)).toEqual(['b', 'd', 'a', 'c'])
  expect(moved(['a', 'b', 'c', 'd'], ['d'], 1)).toEqual(['a', 'd', 'b', 'c'])
})
