import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Pace } from './pace'

describe('pace', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('applies events in order, each in its time', () => {
    const seen: number[] = []
    const pace = new Pace<number>(
      (event) => seen.push(event),
      () => 100,
    )
    for (const event of [1, 2, 3]) pace.push(event)
    expect(seen).toEqual([1])
    vi.advanceTimersByTime(100)
    expect(seen).toEqual([1, 2])
    vi.advanceTimersByTime(500)
    expect(seen).toEqual([1, 2, 3])
    expect(pace.busy).toBe(false)
  })

  it('holds nothing back that needs no time', () => {
    const seen: number[] = []
    const pace = new Pace<number>(
      (event) => seen.push(event),
      () => 0,
    )
    for (const event of [1, 2, 3]) pace.push(event)
    expect(seen).toEqual([1, 2, 3])
  })

  it('hurries everything along when asked, once and in order', () => {
    const seen: number[] = []
    const pace = new Pace<number>(
      (event) => seen.push(event),
      () => 100,
    )
    for (const event of [1, 2, 3]) pace.push(event)
    pace.flush()
    vi.advanceTimersByTime(1000)
    expect(seen).toEqual([1, 2, 3])
  })

  it('forgets what was waiting when the table is told anew', () => {
    const seen: number[] = []
    const pace = new Pace<number>(
      (event) => seen.push(event),
      () => 100,
    )
    for (const event of [1, 2, 3]) pace.push(event)
    pace.drop()
    pace.push(4)
    vi.advanceTimersByTime(1000)
    expect(seen).toEqual([1, 4])
  })
})
