import { describe, expect, it } from 'vitest'
import { dayOf, history, inWords, streak, toShare } from './daily'
import type { Played } from './stats'

const now = new Date('2026-11-15T21:00Z')
const game = (day: string, won: boolean, moves = 60, helped = false): Played => ({
  seed: `daily-2026-11-${day}`,
  profile: 'classic',
  won,
  moves,
  open: false,
  ...(helped && { helped }),
})

describe('a day', () => {
  it('is its best game, and one without hints is better than any with them', () => {
    const games = [game('15', false), game('15', true, 50, true), game('15', true, 70)]
    expect(dayOf(games, now)).toEqual({ date: '2026-11-15', verdict: 'won', moves: 70 })
    expect(dayOf(games.slice(0, 2), now)).toMatchObject({ verdict: 'helped', moves: 50 })
    expect(dayOf(games.slice(0, 1), now)).toMatchObject({ verdict: 'lost', moves: null })
    expect(dayOf([], now).verdict).toBe('missed')
  })

  it('has one profile: by other rules it is another deal', () => {
    expect(dayOf([{ ...game('15', true), profile: 'printed' }], now).verdict).toBe('missed')
  })

  it('is read aloud in words', () => {
    expect(inWords(dayOf([game('15', true, 63, true)], now))).toBe(
      '15 November: won with hints in 63 moves',
    )
    expect(inWords(dayOf([], now))).toBe('15 November: not played')
  })
})

describe('the streak', () => {
  it('goes on until today is over, and ends with the first day that was not won', () => {
    expect(streak([], now)).toBe(0)
    expect(streak([game('13', true), game('14', true)], now)).toBe(2)
    expect(streak([game('13', true), game('14', true), game('15', true)], now)).toBe(3)
    expect(streak([game('12', true), game('13', false), game('14', true)], now)).toBe(1)
    expect(streak([game('12', true), game('13', true)], now)).toBe(0)
  })

  it('is not broken by a game of today that was lost, before the day is over', () => {
    expect(streak([game('14', true), game('15', false)], now)).toBe(1)
  })
})

describe('a result to share', () => {
  it('is there once the deal is won, and gives nothing of it away', () => {
    expect(toShare([game('15', false)], now, (path) => `https://x${path}`)).toBe('')
    const games = [game('13', false), game('14', true, 61, true), game('15', true, 63)]
    expect(toShare(games, now, (path) => `https://x${path}`)).toBe(
      'MO, 15 November: won in 63 moves\n· · · · ✕ ☆ ★  2 days in a row\n' +
        'https://x/play/mo?seed=daily-2026-11-15&profile=classic',
    )
  })
})

describe('the history', () => {
  it('is the last days, today last', () => {
    const days = history([game('14', true)], now, 3)
    expect(days.map(({ date, verdict }) => `${date} ${verdict}`)).toEqual([
      '2026-11-13 missed',
      '2026-11-14 won',
      '2026-11-15 missed',
    ])
  })
})
