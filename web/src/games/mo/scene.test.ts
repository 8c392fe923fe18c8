import { expect, test } from 'vitest'
import type { Scene } from '../../protocol/extras'
import { cardsOf, drawOf } from './layout'
import { boardOf, idsOf } from './scene'

const scene: Scene = {
  viewer: 0,
  seats: [{ seat: 0 }],
  prompt: '',
  counters: { moves: 7, 'royals defeated': 1, rules: 'printed', seed: 'abc' },
  zones: [
    { id: 'e5', label: 'Next card', look: 'pile', things: [{ id: 'c3', face: '4♥' }], more: 5 },
    { id: 'b2', label: 'b2', look: 'pile', things: [{ id: 'c9', face: '10♥' }], more: 2 },
    {
      id: 'e2',
      label: 'e2',
      look: 'spread',
      things: [
        { id: 'c12', face: 'K♥', marks: ['counts 15', 'falls to a card on b2'] },
        { id: 'c1', face: '2♥' },
      ],
    },
    {
      id: 'c1',
      label: 'c1',
      look: 'spread',
      things: [{ id: 'c50', marks: ['Q♠ defeated'] }, { id: 'c40' }],
    },
  ],
}

test('a scene is read as the position it describes', () => {
  const board = boardOf(scene)
  expect(drawOf(board)).toEqual({
    count: 6,
    top: { rank: '4', suit: 'hearts', value: 4, face_up: true },
  })
  expect(cardsOf(board, 'b2').map(({ face_up }) => face_up)).toEqual([true, false, false])
  expect(cardsOf(board, 'e2').map(({ rank }) => rank)).toEqual(['2', 'K'])
  expect(board.defeated).toEqual(['c1'])
  expect(cardsOf(board, 'c1')[1]).toEqual({ rank: 'Q', suit: 'spades', value: 12, face_up: false })
  expect(board).toMatchObject({ moves: 7, profile: 'printed', seed: 'abc', valid: [] })
})

test('a royal that falls to the next card has its lane', () => {
  const [lane] = boardOf(scene).lanes
  expect(lane).toMatchObject({ pile: 'e2', near: 'd2', middle: 'c2', far: 'b2', health: 15 })
})

test('cards keep their ids, top first', () => {
  expect(idsOf(scene)).toMatchObject({ e2: ['c1', 'c12'], b2: ['c9', 'b2 0', 'b2 1'] })
})
