import { expect, test } from 'vitest'
import { cardFace, spokenThing, spokenZone } from './faces'

const HAND = { id: 'h', label: 'Hand', look: 'hand' as const }

test('a face is a card of the French deck', () => {
  expect(cardFace('10♥')).toEqual({ suit: 'hearts', rank: '10' })
  expect(cardFace('joker')).toEqual({ suit: 'joker', rank: 'W' })
  expect(cardFace(undefined)).toBeNull()
})

test('things are read aloud with what is said of them', () => {
  expect(spokenThing(HAND, { id: 't', face: 'A♠', marks: ['just drawn'] })).toBe(
    'ace of spades, just drawn',
  )
  expect(spokenThing({ ...HAND, deck: 'dice' }, { id: 't', face: '4' })).toBe('4')
})

test('zones say how much in them cannot be seen', () => {
  expect(
    spokenZone('Ben’s hand', { ...HAND, things: [{ id: 'a' }, { id: 'b', face: '2♥' }] }),
  ).toBe('Ben’s hand, 1 face down')
  expect(spokenZone('Stock', { ...HAND, look: 'pile' })).toBe('Stock, empty')
})
