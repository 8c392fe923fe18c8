/** What the matches at a table add up to, as the server keeps it: the same for everybody. */
import type { Scores } from './extras'
import { counted, listed } from './text'

export const NO_SCORES: Scores = { target: 0, standings: [], rounds: [], winners: [] }

/** What can be played for, in points. */
export const TARGETS = [0, 100, 200, 500, 1000]

export const targetName = (target: number): string =>
  target === 0 ? 'As long as we like' : `Until somebody has ${target} points`

export interface Row {
  name: string
  points: number
  won: number
  you: boolean
  /** At the table, or gone again. */
  here: boolean
}

/** Everybody who sits (`names`) or has played here, the leader first; equals keep their order. */
export function standings(names: readonly string[], scores: Scores): Row[] {
  const rows = scores.standings.map(({ name, points, won, you = false }) => ({
    name,
    points,
    won,
    you,
    here: names.includes(name),
  }))
  const without = names.filter((name) => !rows.some((row) => row.name === name))
  return [...rows, ...without.map((name) => ({ name, points: 0, won: 0, you: false, here: true }))]
}

/** What the match is played for; "" if it has no end. */
export function goal({ target, won_by = 'most' }: Scores): string {
  if (target === 0) return ''
  return won_by === 'most'
    ? `The first to have ${target} points wins the match.`
    : `When somebody has ${target} points, the fewest points win the match.`
}

/** Who has won the match; "" while it goes on. */
export function champions({ winners, standings }: Scores): string {
  if (winners.length === 0) return ''
  const won = standings.find(({ name }) => name === winners[0])
  const points = counted(won?.points ?? 0, 'point')
  const verb = winners.length === 1 ? 'has' : 'have'
  return `${listed(winners)} ${verb} won the match with ${points}.`
}
