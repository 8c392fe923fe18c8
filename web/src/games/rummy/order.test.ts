import { describe, expect, it } from 'vitest'
import type { Face } from '../../protocol/rummy'
import { arranged, moved, type HandOrder } from './order'

const faces: Record<string, Face> = {
  ace: { suit: 'hearts', rank: 'A' },
  ten: { suit: 'hearts', rank: '10' },
  two: { suit: 'clubs', rank: '2' },
  wild: { suit: 'joker', rank: 'W' },
  deuce: { suit: 'spades', rank: '2' },
}
const hand = Object.keys(faces)
const shown = (order: HandOrder, own: string[] = [], ace_rank: 'low' | 'high' = 'low'): string[] =>
  arranged(hand, { order, own }, faces, { ace_rank })

describe('a hand', () => {
  it('is shown as the server sends it, by suit', () => {
    expect(shown('suit')).toEqual(hand)
  })

  it('is sorted by rank, jokers last, aces where the table has them', () => {
    expect(shown('rank')).toEqual(['ace', 'two', 'deuce', 'ten', 'wild'])
    expect(shown('rank', [], 'high')).toEqual(['two', 'deuce', 'ten', 'ace', 'wild'])
  })

  it('stays as its player put it, with what is drawn at the end', () => {
    expect(shown('own', ['wild', 'gone', 'ten'])).toEqual(['wild', 'ten', 'ace', 'two', 'deuce'])
  })

  it('keeps every card once, whatever is moved where', () => {
    const cards = ['a', 'b', 'c', 'd']
    for (let index = 0; index <= 4; index++) {
      for (const taken of [['a'], ['d'], ['c', 'a']]) {
        const now = moved(cards, taken, index)
        expect([...now].sort()).toEqual(cards)
        expect(now.join('')).toContain(taken.join(''))
      }
    }
    expect(moved(cards, ['d'], 1)).toEqual(['a', 'd', 'b', 'c'])
    expect(moved(cards, ['a'], 3)).toEqual(['b', 'c', 'a', 'd'])
    expect(moved(cards, ['b'], 1)).toEqual(cards)
    expect(moved(cards, ['b'], 2)).toEqual(cards)
  })
})
