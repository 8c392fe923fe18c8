import { describe, expect, it } from 'vitest'
import type { Scores } from '../../lib/extras'
import { champions, inRound, NO_SCORES, standings, targetName } from './scores'

const players = [
  { name: 'Ann', id: 'a', human: true },
  { name: 'Ben', id: 'b', human: true },
]
const score = (id: string, name: string, points: number) => ({ id, name, points, won: 1 })
const scores: Scores = {
  ...NO_SCORES,
  target: 100,
  standings: [score('c', 'Cleo', 60), { ...score('b', 'Ben', 40), you: true }],
}

describe('the standings', () => {
  it('have everybody who sits here and everybody who has played', () => {
    expect(standings(players, scores, 'b')).toEqual([
      { id: 'c', name: 'Cleo', points: 60, won: 1, you: false, here: false },
      { id: 'b', name: 'Ben', points: 40, won: 1, you: true, here: true },
      { id: 'a', name: 'Ann', points: 0, won: 0, you: false, here: true },
    ])
  })

  it('know who you are before the first round', () => {
    expect(standings(players, NO_SCORES, 'a').map(({ you }) => you)).toEqual([true, false])
  })
})

describe('a round', () => {
  const result = { type: 'end', winner_id: 'a', hand_values: { b: 30, c: 5 } } as const

  it('gains the winner what the others held', () => {
    expect(['a', 'b', 'x'].map((id) => inRound(result, id))).toEqual(['+35', 'held 30', '–'])
  })

  it('gains nobody anything that nobody won', () => {
    const even = { ...result, winner_id: null }
    expect(['a', 'b'].map((id) => inRound(even, id))).toEqual(['–', 'held 30'])
    expect(inRound(null, 'a')).toBe('–')
  })
})

describe('a match', () => {
  it('is won once the server says so', () => {
    expect(champions(scores)).toBe('')
    expect(champions({ ...scores, winners: ['Cleo'] })).toBe(
      'Cleo has won the match with 60 points.',
    )
    expect(champions({ ...scores, winners: ['Ann', 'Ben'] })).toContain('Ann and Ben have won')
  })

  it('is played for a target, or for none', () => {
    expect([0, 100].map(targetName)).toEqual([
      'As long as we like',
      'Until somebody has 100 points',
    ])
  })
})
