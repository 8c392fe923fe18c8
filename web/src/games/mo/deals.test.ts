import { describe, expect, it } from 'vitest'
import type { BoardMessage } from '../../protocol/mo'
import { daily, isDealt, isSeed, linked, linkTo } from './deals'

const board = { seed: 'abc-1', profile: 'printed' } as BoardMessage

describe('a deal', () => {
  it('of the day is that of UTC, and classic, wherever it is asked for', () => {
    expect(daily(new Date('2026-11-15T23:30:00-05:00'))).toEqual({
      seed: 'daily-2026-11-16',
      profile: 'classic',
    })
  })

  it('comes back from its link', () => {
    const [, search] = linkTo(board).split('?')
    expect(linked(`?${search}`)).toEqual({ seed: 'abc-1', profile: 'printed' })
    expect(linked('?profile=house')).toBeNull()
    expect(linked('')).toBeNull()
  })

  it('is not dealt again where it lies already', () => {
    expect(isDealt({ seed: 'abc-1' }, board)).toBe(true)
    expect(isDealt({ seed: 'abc-1', profile: 'classic' }, board)).toBe(false)
  })

  it('has a seed the server takes', () => {
    expect([isSeed('daily-2026-11-15'), isSeed(''), isSeed('a b'), isSeed('x'.repeat(33))]).toEqual(
      [true, false, false, false],
    )
  })
})
