import { describe, expect, it } from 'vitest'
import {
  boolean,
  list,
  maybe,
  messages,
  nil,
  number,
  oneOf,
  or,
  record,
  string,
  struct,
  tuple,
  unknown,
  type Shape,
} from './shapes'

const card = struct({ id: string, face: or(struct({ rank: oneOf('A', 2) }), nil) })
const message = messages('type', {
  dealt: struct({ type: oneOf('dealt'), cards: list(card), note: maybe(string) }),
  scores: struct({ type: oneOf('scores'), points: record(number) }),
})

describe('a shape', () => {
  it.each<[Shape<unknown>, unknown[], unknown[]]>([
    [string, ['', 'a'], [1, null, undefined, {}, []]],
    [number, [0, -1.5], ['1', null, undefined, true]],
    [boolean, [true, false], [0, 'true', null, undefined]],
    [nil, [null], [undefined, 0, '', false]],
    [unknown, [null, 0, '', {}], [undefined]],
    [oneOf('a', 3, null), ['a', 3, null], ['b', '3', undefined]],
    [maybe(string), ['a', undefined], [null, 1]],
    [or(string, nil), ['a', null], [1, undefined]],
    [list(number), [[], [1, 2]], [{}, 'ab', null, [1, '2'], [1, null]]],
    [tuple(string, number), [['a', 1]], [['a'], ['a', 1, 1], ['a', 'b'], {}, null]],
    [record(number), [{}, { a: 1 }], [[], null, 'a', { a: '1' }]],
    [struct({ a: string }), [{ a: '' }, { a: '', more: 1 }], [{}, [], null, 'a', { a: null }]],
  ])('takes what fits, and nothing else (%#)', (shape, good, bad) => {
    expect(good.filter((value) => shape(value))).toEqual([])
    expect(bad.filter((value) => !shape(value))).toEqual([])
  })

  it('says what is wrong, and where', () => {
    expect(message({ type: 'dealt', cards: [{ id: 'a', face: null }, { id: 1 }] })).toBe(
      ' dealt.cards[1].id is not a string',
    )
    expect(message({ type: 'dealt', cards: [{ id: 'a', face: { rank: 3 } }] })).toBe(
      ' dealt.cards[0].face.rank is not one of A, 2',
    )
    expect(message({ type: 'scores', points: { ann: null } })).toBe(
      ' scores.points.ann is not a number',
    )
    expect(tuple(string, number)(['a', 'b'])).toBe('[1] is not a number')
  })
})

describe('the shape of messages', () => {
  it('takes kinds that it does not know, which are somebody’s extension', () => {
    expect(message({ type: 'fireworks', cards: 3 })).toBe('')
    expect(message({ type: 'constructor' })).toBe('')
  })

  it('takes nothing that is no message', () => {
    for (const value of [null, 'dealt', 3, [], {}, { type: 3 }]) expect(message(value)).not.toBe('')
  })
})
