import { describe, expect, test } from 'vitest'
import type { Choice, Scene } from '../protocol/extras'
import {
  actionsOf,
  add,
  advance,
  begin,
  close,
  next,
  presses,
  type Draft,
  type Next,
} from './choose'

const EIGHTS: Choice[] = [
  { action: 'play', fields: { index: { type: 'one', of: [0, 2] } } },
  {
    action: 'play',
    fields: { index: { type: 'one', of: [1] }, suit: { type: 'one', of: [0, 1, 2, 3] } },
  },
  { action: 'draw' },
]

const MELD: Choice[] = [
  {
    action: 'meld',
    fields: {
      cards: {
        type: 'some',
        of: ['a', 'b', 'c', 'd'],
        least: 3,
        most: 4,
        sets: [
          [0, 1, 2],
          [0, 1, 3],
        ],
      },
    },
  },
]

const PAIR: Choice[] = [
  {
    action: 'swap',
    fields: {
      one: { type: 'one', of: ['a', 'b'] },
      other: { type: 'one', of: ['a', 'b', 'c'], unlike: 'one' },
    },
  },
]

function step(choices: Choice[], draft: Draft): Next {
  const found = next(choices, draft)
  if (!found) throw new Error('complete')
  return found
}

describe('an action is put together', () => {
  test('from values of every choice with its name', () => {
    const draft = begin('play')
    expect(step(EIGHTS, draft)).toMatchObject({ field: 'index', values: [0, 2, 1] })
    expect(next(EIGHTS, add(draft, step(EIGHTS, draft), 2))).toBeNull()
    const eight = add(draft, step(EIGHTS, draft), 1)
    expect(step(EIGHTS, eight)).toMatchObject({ field: 'suit', values: [0, 1, 2, 3] })
  })

  test('without fields it is complete at once', () => {
    expect(next(EIGHTS, begin('draw'))).toBeNull()
  })

  test('a list takes what can become one that is allowed, in any order', () => {
    let draft = begin('meld')
    draft = add(draft, step(MELD, draft), 'd')
    expect(step(MELD, draft)).toMatchObject({ values: ['a', 'b', 'd'], done: false })
    draft = add(draft, step(MELD, draft), 'a')
    draft = add(draft, step(MELD, draft), 'b')
    expect(step(MELD, draft).done).toBe(true)
    const whole = close(draft, step(MELD, draft))
    expect(whole.fields).toEqual({ cards: ['a', 'b', 'd'] })
    expect(next(MELD, whole)).toBeNull()
  })

  test('a value of a list is taken out by choosing it again', () => {
    let draft = begin('meld')
    draft = add(draft, step(MELD, draft), 'd')
    draft = add(draft, step(MELD, draft), 'd')
    expect(draft.fields).toEqual({ cards: [] })
  })

  test('a field may have to differ from another one', () => {
    const draft = add(begin('swap'), step(PAIR, begin('swap')), 'b')
    expect(step(PAIR, draft).values).toEqual(['a', 'c'])
  })

  test('steps with one answer are skipped', () => {
    const forced: Choice[] = [
      {
        action: 'call',
        fields: { what: { type: 'one', of: ['x'] }, who: { type: 'one', of: [1, 2] } },
      },
    ]
    expect(advance(forced, begin('call')).fields).toEqual({ what: 'x' })
  })
})

describe('on the table', () => {
  const scene: Scene = {
    viewer: 0,
    seats: [{ seat: 0 }],
    zones: [
      { id: 'stock', label: 'Stock', look: 'pile', more: 20 },
      {
        id: 'hand',
        label: 'Your hand',
        look: 'hand',
        things: [
          { id: 't1', face: '5♥', name: 0 },
          { id: 't2', face: '8♠', name: 1 },
          { id: 't3', face: '9♣', name: 3 },
        ],
      },
    ],
    prompt: '',
    targets: { draw: ['stock'], 'play.index': ['hand'] },
    choices: EIGHTS,
  }

  test('things and zones lead to what they stand for, and nothing else does', () => {
    const found = presses(scene, actionsOf(EIGHTS).map(begin))
    expect([...found.keys()].sort()).toEqual(['thing t1', 'thing t2', 'zone stock'])
    expect(found.get('thing t1')).toEqual([{ action: 'play', fields: { index: 0 } }])
    expect(found.get('zone stock')).toEqual([{ action: 'draw', fields: {} }])
  })
})
