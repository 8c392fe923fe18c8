import { describe, expect, it } from 'vitest'
import { isFinal, leaves, retryDelay } from './backoff'

describe('connecting again', () => {
  it('waits longer each time, but never long', () => {
    const waits = [0, 1, 2, 3, 4, 5, 6, 20].map((failures) => retryDelay(failures, 0.5))
    expect(waits).toEqual([...waits].sort((a, b) => a - b))
    expect(waits[0]).toBeLessThan(500)
    expect(retryDelay(50, 1)).toBeLessThanOrEqual(10_000)
  })

  it('stops where the server said no, not where it restarts or the line is cut', () => {
    expect([4404, 4409, 1008, 3003].map(isFinal)).toEqual([true, true, true, true])
    expect([1000, 1001, 1006, 1011, 1012].map(isFinal)).toEqual([false, false, false, false, false])
  })

  it('follows where the server went', () => {
    expect([1001, 1012, 1000, 1006, 1011].map(leaves)).toEqual([true, true, false, false, false])
  })
})
