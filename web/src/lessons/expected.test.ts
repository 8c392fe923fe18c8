import { expect, test } from 'vitest'
import type { Scene } from '../protocol/extras'
import { isExpected, nextKeys } from './expected'

const SCENE: Scene = {
  viewer: 0,
  seats: [{ seat: 0 }, { seat: 1 }],
  zones: [
    { id: 'deck', label: 'Deck', look: 'pile', things: [{ id: 'd' }], more: 20 },
    { id: 'meld 0', label: 'Meld 1', look: 'spread', name: 0 },
    {
      id: 'hand',
      label: 'Your hand',
      look: 'hand',
      things: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
    },
  ],
  prompt: '',
  targets: {
    'draw.card': ['deck'],
    'meld.cards': ['hand'],
    'lay.cards': ['hand'],
    'lay.meld': ['meld 0'],
    'pass.cards': ['hand'],
    'play.card': ['hand'],
  },
  choices: [
    { action: 'draw', fields: { card: { type: 'one', of: ['d'] } } },
    { action: 'meld', fields: { cards: { type: 'some', of: ['a', 'b', 'c'], least: 2, most: 3 } } },
    {
      action: 'lay',
      fields: {
        cards: { type: 'some', of: ['a'], least: 1, most: 1 },
        meld: { type: 'one', of: [0] },
      },
    },
    {
      action: 'pass',
      fields: {
        cards: { type: 'some', of: ['a', 'b', 'c'], least: 2, most: 2, ordered: true },
      },
    },
    {
      action: 'play',
      fields: {
        card: { type: 'one', of: ['c'] },
        suit: { type: 'one', of: [0, 1], words: ['hearts', 'clubs'] },
      },
    },
    { action: 'call' },
  ],
}

test('the order of a list counts only where it matters', () => {
  const meld = { action: 'meld', fields: { cards: ['a', 'b'] } }
  expect(isExpected(SCENE, meld, 'meld', { cards: ['b', 'a'] })).toBe(true)
  expect(isExpected(SCENE, meld, 'meld', { cards: ['a', 'b', 'c'] })).toBe(false)
  expect(isExpected(SCENE, meld, 'meld', { cards: ['a', 'c'] })).toBe(false)
  expect(isExpected(SCENE, meld, 'lay', { cards: ['a', 'b'] })).toBe(false)
  const pass = { action: 'pass', fields: { cards: ['a', 'b'] } }
  expect(isExpected(SCENE, pass, 'pass', { cards: ['a', 'b'] })).toBe(true)
  expect(isExpected(SCENE, pass, 'pass', { cards: ['b', 'a'] })).toBe(false)
})

test('a field too many is something else', () => {
  const play = { action: 'play', fields: { card: 'c' } }
  expect(isExpected(SCENE, play, 'play', { card: 'c', suit: 1 })).toBe(false)
  expect(isExpected(SCENE, play, 'play', { card: 'c' })).toBe(true)
})

test('things are picked before the action', () => {
  const meld = { action: 'meld', fields: { cards: ['a', 'b'] } }
  expect(nextKeys(SCENE, meld, null, [])).toEqual(['thing a', 'thing b'])
  expect(nextKeys(SCENE, meld, null, ['a'])).toEqual(['thing b'])
  expect(nextKeys(SCENE, meld, null, ['a', 'b'])).toEqual(['action meld'])
})

test('where the order matters, one thing after the other', () => {
  const pass = { action: 'pass', fields: { cards: ['c', 'a'] } }
  expect(nextKeys(SCENE, pass, null, [])).toEqual(['thing c'])
  expect(nextKeys(SCENE, pass, null, ['c'])).toEqual(['thing a'])
  expect(nextKeys(SCENE, pass, null, ['c', 'a'])).toEqual(['action pass'])
})

test('a zone can stand for a value, and a pile for the thing on top', () => {
  const lay = { action: 'lay', fields: { cards: ['a'], meld: 0 } }
  expect(nextKeys(SCENE, lay, null, ['a'])).toEqual(['action lay', 'zone meld 0'])
  const draw = { action: 'draw', fields: { card: 'd' } }
  expect(nextKeys(SCENE, draw, null, [])).toEqual(['thing d', 'zone deck'])
})

test('an action that was begun goes on with its next field', () => {
  const play = { action: 'play', fields: { card: 'c', suit: 1 } }
  expect(nextKeys(SCENE, play, { action: 'play', fields: { card: 'c' } }, [])).toEqual(['value 1'])
  expect(nextKeys(SCENE, play, { action: 'draw', fields: {} }, [])).toEqual(['cancel'])
  expect(nextKeys(SCENE, { action: 'call', fields: {} }, null, [])).toEqual(['action call'])
})

test('where things are pressed one after the other, the first is marked first', () => {
  const asks = (seats: number[]): Scene => ({
    ...SCENE,
    zones: [
      ...[1, 2].map((seat) => ({
        id: `hand ${seat}`,
        label: 'Hand',
        look: 'hand' as const,
        name: seat,
      })),
      {
        id: 'hand 0',
        label: 'Your hand',
        look: 'hand',
        things: ['K♥', 'K♠'].map((face) => ({ id: face, face, name: 13 })),
      },
    ],
    targets: { 'ask.seat': ['hand 1', 'hand 2'], 'ask.rank': ['hand 0'] },
    choices: [
      {
        action: 'ask',
        fields: { seat: { type: 'one', of: seats }, rank: { type: 'one', of: [9, 13] } },
      },
    ],
  })
  const expected = { action: 'ask', fields: { rank: 13, seat: 1 } }
  expect(nextKeys(asks([1, 2]), expected, null, [])).toEqual(['zone hand 1'])
  const asked = { action: 'ask', fields: { seat: 1 } }
  const kings = ['thing K♥', 'thing K♠']
  expect(nextKeys(asks([1, 2]), expected, asked, [])).toEqual(kings)
  // There is nobody else to ask, so the rank comes first.
  expect(nextKeys(asks([1]), expected, null, [])).toEqual(kings)
})
