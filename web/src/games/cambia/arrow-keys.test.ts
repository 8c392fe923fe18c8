import { describe, expect, it } from 'vitest'
import { nearest } from './arrow-keys'

describe('an arrow key', () => {
  const box = (x: number, y: number) => ({ x, y, width: 10, height: 14 })
  const hand = [box(0, 100), box(20, 100), box(40, 100)]

  it('goes to the next card in its direction', () => {
    expect(nearest(hand[1]!, hand, 'ArrowRight')).toBe(2)
    expect(nearest(hand[1]!, hand, 'ArrowLeft')).toBe(0)
    expect(nearest(hand[2]!, hand, 'ArrowRight')).toBe(-1)
  })

  it('goes across the table to the card most nearly opposite', () => {
    const across = [box(0, 0), box(22, 0), box(200, 0)]
    expect(nearest(hand[1]!, across, 'ArrowUp')).toBe(1)
    expect(nearest(hand[1]!, across, 'ArrowDown')).toBe(-1)
  })
})
