import { describe, expect, it } from 'vitest'
import { scoreOf, standings, totals } from './scores'

const players = ['P1', 'P2', 'P3'].map((id) => ({ id, name: id, human: true }))

describe('keeping score', () => {
  it('gives the winner what the losers hold, and nobody else anything (protocol, Ending the Round)', () => {
    const round = scoreOf('r1', { type: 'end', winner_id: 'P2', hand_values: { P1: 23, P3: 41 } })
    expect(totals([round])).toEqual({ P2: 64 })
  })

  it('gives nobody anything for a round without a winner', () => {
    const round = scoreOf('r1', {
      type: 'end',
      winner_id: null,
      hand_values: { P1: 23, P2: 1, P3: 41 },
    })
    expect(totals([round])).toEqual({})
  })

  it('lists the leader first and everybody else too', () => {
    const rounds = [
      scoreOf('r1', { type: 'end', winner_id: 'P3', hand_values: { P1: 5 } }),
      scoreOf('r2', { type: 'end', winner_id: 'P2', hand_values: { P1: 9 } }),
    ]
    expect(standings(players, rounds).map((row) => [row.player.id, row.total, row.won])).toEqual([
      ['P2', 9, 1],
      ['P3', 5, 1],
      ['P1', 0, 0],
    ])
  })
})
