import { expect, test } from 'vitest'
import type { Scene } from '../protocol/extras'
import { clockTime, lastTold, momentsOf, sameMoment, turnAway, within } from './moments'

const SCENE: Scene = {
  viewer: null,
  seats: [{ seat: 0 }, { seat: 1 }],
  zones: [
    { id: 'stock', label: 'Stock', look: 'pile', more: 9 },
    { id: 'pile', label: 'Pile', look: 'pile' },
  ],
  prompt: 'One.',
}
const FRAMES = [
  { at: 0, step: 0, turn: 1, scene: SCENE },
  { at: 900, step: 2, turn: 1, move: 'Two.', fields: { prompt: 'Two.' } },
  {
    at: 1900,
    step: 2,
    turn: 2,
    zones: [{ id: 'stock', label: 'Stock', look: 'pile' as const, more: 8 }],
    order: ['stock', 'pile'],
  },
  { at: 2900, step: 4, turn: 2, move: 'Four.', blank: true },
  { at: 3900, step: 5, turn: 3, move: 'Five.', scene: { ...SCENE, prompt: 'Five.' } },
  { at: 4900, step: 5, turn: 3, fields: { prompt: 'Over.' } },
]
const MOMENTS = momentsOf(FRAMES)

test('frames add up to whole scenes', () => {
  expect(MOMENTS.map(({ scene }) => scene?.prompt ?? null)).toEqual(
    ['One.', 'Two.', 'Two.', null, 'Five.', 'Over.'], // prettier-ignore
  )
  expect(MOMENTS[1]?.scene?.zones[0]?.more).toBe(9)
  expect(MOMENTS[2]?.scene?.zones).toEqual([FRAMES[2]?.zones?.[0], SCENE.zones[1]])
  expect(MOMENTS.map(({ move }) => move)).toEqual(['', 'Two.', '', 'Four.', 'Five.', ''])
})

test('a number from an address is one of a moment that there is', () => {
  const asked = [3, -1, 99, 2.7, NaN, Infinity]
  expect(asked.map((at) => within(MOMENTS, at))).toEqual([3, 0, 5, 2, 0, 5])
})

test('turns are jumped over', () => {
  expect([0, 1, 2, 3, 4, 5].map((at) => turnAway(MOMENTS, at, 1))).toEqual([2, 2, 4, 4, 5, 5])
  expect([0, 1, 2, 3, 4, 5].map((at) => turnAway(MOMENTS, at, -1))).toEqual([0, 0, 0, 2, 2, 4])
})

test('another viewer is shown the same moment, whatever they saw of it', () => {
  const fewer = momentsOf([FRAMES[0]!, FRAMES[3]!, FRAMES[4]!])
  expect(MOMENTS.map((moment) => sameMoment(fewer, moment))).toEqual([0, 0, 0, 1, 2, 2])
  expect(fewer.map((moment) => sameMoment(MOMENTS, moment))).toEqual([0, 3, 5])
})

test('the sentence of a moment without one is the last before it', () => {
  expect([0, 1, 2, 3, 4, 5].map((at) => lastTold(MOMENTS, at))).toEqual([0, 1, 1, 3, 4, 4])
})

test('times are short', () => {
  expect([0, 7_900, 754_000, 3_723_000].map(clockTime)).toEqual([
    '0:00',
    '0:07',
    '12:34',
    '1:02:03',
  ])
})
