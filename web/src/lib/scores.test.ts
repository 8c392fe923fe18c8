import { describe, expect, it } from 'vitest'
import type { Scores } from './extras'
import { champions, goal, NO_SCORES, standings, targetName, targetsUpTo } from './scores'

const score = (id: string, name: string, points: number) => ({ id, name, points, won: 1 })
const scores: Scores = {
  ...NO_SCORES,
  target: 100,
  standings: [score('c', 'Cleo', 60), { ...score('b', 'Ben', 40), you: true }],
}

it('the standings have everybody who sits here and everybody who has played', () => {
  expect(standings(['Ann', 'Ben'], scores)).toEqual([
    { name: 'Cleo', points: 60, won: 1, you: false, here: false },
    { name: 'Ben', points: 40, won: 1, you: true, here: true },
    { name: 'Ann', points: 0, won: 0, you: false, here: true },
  ])
})

it('a series can be played for as many points as its game allows', () => {
  expect(targetsUpTo(10_000, 0)).toEqual([0, 100, 200, 500, 1000])
  expect(targetsUpTo(250, 0)).toEqual([0, 100, 200, 250])
  expect(targetsUpTo(10_000, 300)).toEqual([0, 100, 200, 300, 500, 1000])
})

describe('a match', () => {
  it('is won once the server says so', () => {
    expect(champions(scores)).toBe('')
    expect(champions({ ...scores, winners: ['Cleo'] })).toBe(
      'Cleo has won the match with 60 points.',
    )
    expect(champions({ ...scores, winners: ['Ann', 'Ben'] })).toContain('Ann and Ben have won')
  })

  it('may be won by the fewest points', () => {
    expect(champions({ ...scores, winners: ['Ben'], won_by: 'fewest' })).toBe(
      'Ben has won the match with 40 points.',
    )
    expect(goal({ ...scores, won_by: 'fewest' })).toContain('the fewest points win')
    expect(goal(scores)).toBe('The first to have 100 points wins the match.')
    expect(goal(NO_SCORES)).toBe('')
  })

  it('is played for a target, or for none', () => {
    expect([0, 100].map(targetName)).toEqual([
      'As long as we like',
      'Until somebody has 100 points',
    ])
  })
})
