import { describe, expect, it } from 'vitest'
import type { BoardMessage, Card } from '../../protocol/mo'
import { falling, kindOf, namesOf, PILES, placeOf, walk } from './layout'
import recorded from './tutorial.json'

const boards = recorded as unknown as Record<string, BoardMessage>
const midgame = boards['midgame']!

describe('the grid', () => {
  it('has nine inner piles, twelve outer ones and the draw pile', () => {
    const count = (kind: string): number => PILES.filter((pile) => kindOf(pile) === kind).length
    expect([count('inner'), count('outer'), count('draw')]).toEqual([9, 12, 1])
    expect(new Set(PILES)).toEqual(new Set(Object.keys(midgame.piles)))
  })

  it('is walked with the arrow keys, round its bare corners and not beyond its rim', () => {
    expect(walk('c3', 'ArrowLeft')).toBe('b3')
    expect(walk('c3', 'ArrowDown')).toBe('c4')
    expect(walk('b1', 'ArrowLeft')).toBe('a2')
    expect(walk('a2', 'ArrowUp')).toBe('b1')
    expect(walk('d1', 'ArrowRight')).toBe('e2')
    expect(walk('b5', 'ArrowLeft')).toBe('a4')
    expect(walk('e4', 'ArrowDown')).toBe('e5')
    expect(walk('e5', 'ArrowRight')).toBeNull()
    expect(walk('c1', 'ArrowUp')).toBeNull()
    expect(walk('c1', 'Home')).toBe('b1')
    expect(walk('c3', 'End')).toBe('e3')
    expect(walk('c3', 'x')).toBeNull()
  })

  it('lets every pile be reached from every other', () => {
    const keys = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']
    for (const start of PILES) {
      const seen = new Set([start])
      for (const pile of seen) {
        for (const key of keys) {
          const next = walk(pile, key)
          if (next) seen.add(next)
        }
      }
      expect(seen.size).toBe(PILES.length)
    }
  })

  it('counts columns and rows as CSS does', () => {
    expect(placeOf('a2')).toEqual({ column: 1, row: 2 })
    expect(placeOf('e5')).toEqual({ column: 5, row: 5 })
  })
})

describe('a blow', () => {
  it('is foreseen only on a pile that takes the card', () => {
    expect(falling(midgame, 'b2')).toEqual(['e2', 'b5'])
    // The lane of a2 is ready too, but its far pile takes no 6.
    expect(falling(midgame, 'd2')).toEqual([])
    expect(falling(midgame, 'b3')).toEqual([])
  })
})

describe('the names of cards', () => {
  it('stay with a card from board to board', () => {
    const before = { board: midgame, names: namesOf(midgame, null) }
    const after = namesOf(boards['midgame b2']!, before)
    expect(before.names['e5']).toEqual(['clubs-6'])
    expect(after['b2']).toEqual(['clubs-6', 'spades-6'])
  })

  const joker: Card = { rank: 'joker', suit: 'joker', value: 0, face_up: true }
  const five: Card = { rank: '5', suit: 'hearts', value: 5, face_up: true }
  const board = (piles: Record<string, Card[]>, top: Card | null): BoardMessage => ({
    ...midgame,
    piles: { ...piles, e5: { count: 9, top } },
  })

  it('tell two jokers apart by where they lay', () => {
    const scene = (
      shown: BoardMessage,
      before: { board: BoardMessage; names: Record<string, string[]> } | null,
    ) => ({ board: shown, names: namesOf(shown, before) })
    const first = scene(board({ b2: [joker] }, joker), null)
    const drawn = first.names['e5']![0]!
    const lying = first.names['b2']![0]!
    expect(drawn).not.toBe(lying)
    const second = scene(board({ b2: [joker], c3: [joker] }, five), first)
    expect([second.names['b2'], second.names['c3']]).toEqual([[lying], [drawn]])
    const third = scene(board({ b2: [five, joker], c3: [joker] }, null), second)
    expect([third.names['b2'], third.names['c3']]).toEqual([['hearts-5', lying], [drawn]])
  })
})
