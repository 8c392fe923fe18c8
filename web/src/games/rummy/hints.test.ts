import { describe, expect, it } from 'vitest'
import type { Face, Rank, Suit } from '../../protocol/rummy'
import { isMeld, meldsIn, roomFor } from './hints'

const SUITS: Record<string, Suit> = {
  h: 'hearts',
  d: 'diamonds',
  c: 'clubs',
  s: 'spades',
  w: 'joker',
}

/** "5h 6h W" as faces. */
const cards = (text: string): Face[] =>
  text
    .split(' ')
    .map((word) =>
      word === 'W'
        ? { suit: 'joker', rank: 'W' }
        : { suit: SUITS[word.slice(-1)]!, rank: word.slice(0, -1) as Rank },
    )

const house = {
  ace_rank: 'low',
  allow_run_mixed_suit: false,
  allow_set_duplicate_suit: false,
  limit_meld_size: null,
} as const

describe('what would be a meld', () => {
  it.each([
    '5h 5c 5d',
    '5h 5c 5d 5s',
    'Ah 2h 3h',
    '9s 10s Js Qs Ks',
    '5h W 7h',
    '5h 5c W',
    'W W 9c',
  ])('takes %s', (text) => {
    expect(isMeld(cards(text), house)).toBe(true)
  })

  it.each([
    '5h 5c',
    '5h 5c 6d',
    '5h 6h 8h',
    'Qh Kh Ah',
    '5h 5h 5c',
    '5h 6c 7h',
    '5h W 8h',
    'Kh Ah 2h',
  ])('refuses %s', (text) => {
    expect(isMeld(cards(text), house)).toBe(false)
  })

  it('follows the house: high aces, mixed runs, suits twice, the largest meld', () => {
    expect(isMeld(cards('Qh Kh Ah'), { ...house, ace_rank: 'high' })).toBe(true)
    expect(isMeld(cards('Ah 2h 3h'), { ...house, ace_rank: 'high' })).toBe(false)
    expect(isMeld(cards('5h 6c 7h'), { ...house, allow_run_mixed_suit: true })).toBe(true)
    expect(isMeld(cards('5h 5h 5c 5d 5s'), { ...house, allow_set_duplicate_suit: true })).toBe(true)
    expect(isMeld(cards('5h 6h 7h 8h'), { ...house, limit_meld_size: 3 })).toBe(false)
  })
})

describe('where cards would fit', () => {
  const melds = [cards('5h 6h 7h'), cards('8h 8c 8d')]

  it('names every meld that takes a card', () => {
    expect(roomFor(cards('8h'), [cards('5h 6h 7h'), cards('8c 8d 8s')], house)).toEqual([0, 1])
    expect(roomFor(cards('4h'), melds, house)).toEqual([0])
    expect(roomFor(cards('Kc'), melds, house)).toEqual([])
  })

  it('takes several cards only together', () => {
    expect(roomFor(cards('8h 9h'), [cards('5h 6h 7h')], house)).toEqual([0])
    expect(roomFor(cards('9h'), [cards('5h 6h 7h')], house)).toEqual([])
  })

  it('has no room for nothing', () => {
    expect(roomFor([], melds, house)).toEqual([])
  })
})

describe('melds found in a hand', () => {
  const found = (text: string, rules = house) => {
    const hand = cards(text)
    return meldsIn(hand, rules).map((meld) => meld.map((at) => text.split(' ')[at]).join(' '))
  }

  it('finds sets and runs, the longest first', () => {
    expect(found('3h 4h 5h 6h 6c 6d Ks')).toEqual(['3h 4h 5h 6h', '6h 6c 6d'])
  })

  it('uses a joker only where the cards alone do not do', () => {
    expect(found('3h 4h 5h W')).toEqual(['3h 4h 5h'])
    expect(found('3h 5h W')).toEqual(['3h 5h W'])
  })

  it('finds nothing in a hand of strangers', () => {
    expect(found('2h 5c 9d Ks')).toEqual([])
  })

  it('proposes only what would be a meld', () => {
    const hand = cards('Ah 2h 3h 5h 5c 5d 9s 10s W Jc')
    for (const meld of meldsIn(hand, house)) {
      expect(
        isMeld(
          meld.map((at) => hand[at]!),
          house,
        ),
      ).toBe(true)
    }
  })
})
