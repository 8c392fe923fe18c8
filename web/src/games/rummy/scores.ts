/** The score, as the server keeps it: the same for everybody at the table, and after a reload. */
import type { Scores } from '../../lib/extras'
import { counted, listed } from '../../lib/text'
import type { EndEvent, PlayerInfo } from '../../protocol/rummy'

export const NO_SCORES: Scores = { target: 0, standings: [], rounds: [], winners: [] }

/** What can be played for, in points. */
export const TARGETS = [0, 100, 200, 500, 1000]

export const targetName = (target: number): string =>
  target === 0 ? 'As long as we like' : `Until somebody has ${target} points`

export interface Row {
  id: string
  name: string
  points: number
  won: number
  you: boolean
  /** At the table, or gone again. */
  here: boolean
}

/** Everybody who sits or has played here, the leader first; equals keep their order. */
export function standings(
  players: readonly PlayerInfo[],
  scores: Scores,
  me: string | null,
): Row[] {
  const rows = scores.standings.map(({ id, name, points, won, you }) => ({
    id,
    name,
    points,
    won,
    you: you ?? false,
    here: players.some((player) => player.id === id),
  }))
  const without = players.filter(({ id }) => !rows.some((row) => row.id === id))
  return [
    ...rows,
    ...without.map(({ id, name }) => ({ id, name, points: 0, won: 0, you: id === me, here: true })),
  ]
}

/** What a round was to a player, in a word: what they gained, or what they were left with. */
export function inRound(result: EndEvent | null, player: string): string {
  if (result?.winner_id === player) {
    return `+${Object.values(result.hand_values).reduce((sum, value) => sum + value, 0)}`
  }
  const held = result?.hand_values[player]
  return held === undefined ? '–' : `held ${held}`
}

/** Who has won the match; "" while it goes on. */
export function champions({ winners, standings }: Scores): string {
  if (winners.length === 0) return ''
  const points = counted(Math.max(...standings.map((each) => each.points)), 'point')
  const verb = winners.length === 1 ? 'has' : 'have'
  return `${listed(winners)} ${verb} won the match with ${points}.`
}
