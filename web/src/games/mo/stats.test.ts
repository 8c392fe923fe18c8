import { describe, expect, it } from 'vitest'
import type { BoardMessage } from '../../protocol/mo'
import { barsOf, ending, inWords, leaving, summary, type Played } from './stats'

const board = (
  status: BoardMessage['status'],
  moves: number,
  seed = 'one',
  profile: BoardMessage['profile'] = 'classic',
): BoardMessage => ({ status, moves, seed, profile }) as BoardMessage

describe('a game', () => {
  it('counts once, however often its end is taken back', () => {
    let games = ending([], board('lost', 40))
    games = ending(games, board('playing', 39))
    games = ending(games, board('won', 66))
    games = ending(games, board('won', 70))
    games = ending(games, board('lost', 50))
    expect(games).toEqual([{ seed: 'one', profile: 'classic', won: true, moves: 66, open: true }])
  })

  it('played again after a new deal counts again', () => {
    let games = ending([], board('won', 66))
    games = leaving(games, board('won', 66))
    games = ending(games, board('won', 64))
    expect(summary(games)).toMatchObject({ played: 2, won: 2, streak: 2, best: 64 })
  })

  it('won with hints is marked, and does not take the place of one without', () => {
    const helped = ending([], board('won', 70), true)
    expect(helped).toEqual([
      { seed: 'one', profile: 'classic', won: true, moves: 70, open: true, helped: true },
    ])
    expect(summary(helped)).toMatchObject({ won: 1, helped: 1 })
    expect(ending(helped, board('won', 66), true)[0]).toMatchObject({ moves: 66, helped: true })
    const own = ending([], board('won', 70))
    expect(ending(own, board('won', 66), true)).toEqual(own)
    expect(summary(own)).toMatchObject({ won: 1, helped: 0 })
  })

  it('left half-way counts as not won, and one not begun does not count', () => {
    const won = leaving(ending([], board('won', 66)), board('won', 66))
    expect(summary(leaving(won, board('playing', 12, 'two')))).toMatchObject({
      played: 2,
      won: 1,
      streak: 0,
      longest: 1,
    })
    expect(leaving(won, board('playing', 0, 'two'))).toEqual(won)
  })

  it('lost and taken back is counted already when it is left', () => {
    const games = ending([], board('lost', 40))
    expect(leaving(games, board('playing', 39))).toHaveLength(1)
  })

  it('of the same seed by other rules is another game', () => {
    expect(ending(ending([], board('won', 66)), board('lost', 20, 'one', 'printed'))).toHaveLength(
      2,
    )
  })
})

describe('the summary', () => {
  const played = (results: [boolean, number][]): Played[] =>
    results.map(([won, moves], at) => ({
      seed: String(at),
      profile: 'classic',
      won,
      moves,
      open: false,
    }))

  it('of nothing is nothing', () => {
    expect(summary([])).toEqual({
      played: 0,
      won: 0,
      helped: 0,
      streak: 0,
      longest: 0,
      best: null,
      bars: [],
    })
  })

  it('knows streaks and the best win', () => {
    expect(
      summary(
        played([
          [true, 70],
          [true, 66],
          [false, 9],
          [true, 81],
        ]),
      ),
    ).toMatchObject({ played: 4, won: 3, streak: 1, longest: 2, best: 66 })
  })

  it('has a bar for every win, few bars, and no gap between them', () => {
    for (const moves of [[64], [64, 65, 66, 90], [50, 51, 200], [3, 400]]) {
      const bars = barsOf(moves)
      expect(bars.length).toBeLessThanOrEqual(8)
      expect(bars.reduce((sum, bar) => sum + bar.wins, 0)).toBe(moves.length)
      bars.slice(1).forEach((bar, at) => expect(bar.from).toBe(bars[at]!.to + 1))
    }
  })

  it('is read aloud without its gaps', () => {
    expect(inWords(barsOf([61, 62, 74]))).toBe('60 to 64 moves: 2 wins; 70 to 74 moves: 1 win')
  })
})
