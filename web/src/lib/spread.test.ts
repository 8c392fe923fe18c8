import { describe, expect, it } from 'vitest'
import { indexAt, keyGoal, LARGE, spread } from './spread'

describe('a hand spread out', () => {
  it.each([
    [360, 640],
    [390, 844],
    [768, 1024],
    [1000, 800],
    [820, 390],
  ])(
    'lies inside %i × %i, whole, in reading order, with corners that can be touched',
    (width, height) => {
      for (let count = 1; count <= 14; count++) {
        const hand = spread(count, width, height)
        expect(hand.places).toHaveLength(count)
        hand.places.forEach((place, at) => {
          expect(place.x).toBeGreaterThanOrEqual(0)
          expect(place.x + hand.card).toBeLessThanOrEqual(width + 1)
          expect(place.y + hand.card * 1.4).toBeLessThanOrEqual(hand.height + 1)
          const next = hand.places[at + 1]
          if (next && next.y === place.y) expect(next.x - place.x).toBeGreaterThanOrEqual(24)
          else if (next) expect(next.y).toBeGreaterThan(place.y)
        })
      }
    },
  )
})

it('a large hand lies in three rows on a phone, where that is wanted', () => {
  for (const [width, height] of [
    [344, 640],
    [374, 844],
  ] as const) {
    for (let count = 15; count <= 24; count++) {
      const hand = spread(count, width, height, 3)
      const rows = new Set(hand.places.map(({ y }) => y))
      expect(rows.size).toBeLessThanOrEqual(3)
      hand.places.forEach((place, at) => {
        expect(place.x + hand.card).toBeLessThanOrEqual(width + 1)
        expect(place.y + hand.card * 1.4).toBeLessThanOrEqual(hand.height + 1)
        const next = hand.places[at + 1]
        if (next && next.y === place.y) expect(next.x - place.x).toBeGreaterThanOrEqual(36)
      })
    }
  }
  expect(new Set(spread(20, 344, 640, 3).places.map(({ y }) => y)).size).toBe(3)
})

it('lays large cards within the width there is', () => {
  for (const width of [344, 768, 1000, 1600]) {
    const [usual, large] = [1, LARGE].map((size) => spread(9, width, 800, 3, size))
    expect(large!.card).toBeGreaterThan(usual!.card * 1.25)
    for (const { x } of large!.places) expect(x + large!.card).toBeLessThanOrEqual(width + 1)
  }
})

describe('a card dropped in the hand', () => {
  it.each([
    [7, 1000, 800],
    [13, 360, 640],
    [1, 360, 640],
  ])(
    'goes before or after the one it is dropped on (%i cards, %i wide)',
    (count, width, height) => {
      const hand = spread(count, width, height)
      hand.places.forEach(({ x, y }, index) => {
        expect(indexAt(hand, x + 1, y + 1)).toBe(index)
        expect(indexAt(hand, x + hand.card / 2 + 1, y + 1)).toBe(index + 1)
      })
      const end = hand.places.at(-1)!
      expect(indexAt(hand, width, end.y + 1)).toBe(count)
    },
  )
})

describe('a key pressed in the hand', () => {
  const hand = spread(13, 360, 640)

  it.each([
    ['ArrowLeft', 1, 0],
    ['ArrowLeft', 0, null],
    ['ArrowRight', 11, 12],
    ['ArrowRight', 12, null],
    ['ArrowDown', 2, 2 + hand.perRow],
    ['ArrowDown', 12, null],
    ['ArrowUp', hand.perRow, 0],
    ['ArrowUp', 0, null],
    ['Home', 5, 0],
    ['End', 5, 12],
    ['x', 5, null],
  ])('leads on from there, or nowhere (%s from %i)', (key, from, to) => {
    expect(keyGoal(hand, key, from)).toBe(to)
  })
})
