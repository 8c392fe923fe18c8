/** Keeping score is the client's part of the protocol: the winner gains what the losers hold. */
import { readStored, store } from '../../lib/storage'
import type { EndEvent, PlayerInfo } from '../../protocol/rummy'

export interface RoundScore {
  /** Names the round, so that an `end` told twice (after a reload) counts once. */
  round: string
  winner: string | null
  gain: number
  values: Record<string, number>
}

export function scoreOf(round: string, end: EndEvent): RoundScore {
  const gain = Object.values(end.hand_values).reduce((sum, value) => sum + value, 0)
  return {
    round,
    winner: end.winner_id,
    gain: end.winner_id === null ? 0 : gain,
    values: end.hand_values,
  }
}

export function totals(rounds: readonly RoundScore[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { winner, gain } of rounds) {
    if (winner !== null) sums[winner] = (sums[winner] ?? 0) + gain
  }
  return sums
}

/** Everybody at the table with their total, the leader first; equals keep their seats' order. */
export function standings(
  players: readonly PlayerInfo[],
  rounds: readonly RoundScore[],
): { player: PlayerInfo; total: number; won: number }[] {
  const sums = totals(rounds)
  return players
    .map((player) => ({
      player,
      total: sums[player.id] ?? 0,
      won: rounds.filter((round) => round.winner === player.id).length,
    }))
    .sort((a, b) => b.total - a.total)
}

const key = (code: string): string => `parlour.rummy.${code}`

export function keepScores(code: string, rounds: readonly RoundScore[]): void {
  store(key(code), rounds, 'session')
}

export function keptScores(code: string): RoundScore[] {
  return (readStored(key(code), 'session') as RoundScore[] | null) ?? []
}
