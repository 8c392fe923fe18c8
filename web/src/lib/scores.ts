/** What the matches at a table add up to, as the server keeps it: the same for everybody. */
import { listed, t } from './messages'
import type { Scores } from './extras'

export const NO_SCORES: Scores = { target: 0, standings: [], rounds: [], winners: [] }

/** The targets to choose from, in points, where a series may have up to `most`. */
export function targetsUpTo(most: number, now: number): number[] {
  const targets = [0, 100, 200, 500, 1000].filter((each) => each < most)
  return [...new Set([...targets, Math.min(most, 1000), now])].sort((one, other) => one - other)
}

export const targetName = (target: number): string =>
  target === 0 ? t('As long as we like') : t('Until somebody has {target} points', { target })

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
    ? t('The first to have {target} points wins the match.', { target })
    : t('When somebody has {target} points, the fewest points win the match.', { target })
}

/** Who has won the match; "" while it goes on. */
export function champions({ winners, standings }: Scores): string {
  if (winners.length === 0) return ''
  const won = standings.find(({ name }) => name === winners[0])
  const points = t('{count} point|{count} points', { count: won?.points ?? 0 })
  const names = listed(winners)
  return winners.length === 1
    ? t('{names} has won the match with {points}.', { names, points })
    : t('{names} have won the match with {points}.', { names, points })
}
