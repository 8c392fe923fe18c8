/** A rummy table around its rounds: a pure fold over the protocol's events. The rounds are drawn
 *  from scenes. */
import { t } from '../../lib/messages'
import type { EndEvent, Event, PlayerInfo, Settings } from '../../protocol/rummy'
import { NOTHING_DRAWN, type Drawn } from '../../scenes/fold'
import type { MatchResult } from '../../scenes/result'

/** `waiting` until the first event; `over` shows a finished round until the next or the lobby. */
export type Phase = 'waiting' | 'lobby' | 'round' | 'over'

export interface TableState extends Drawn {
  phase: Phase
  /** This viewer's player id; `null` for a spectator. */
  me: string | null
  players: PlayerInfo[]
  /** Those who play in the round, by seat. */
  seats: PlayerInfo[]
  settings: Settings | null
  result: EndEvent | null
}

export const emptyTable: TableState = {
  ...NOTHING_DRAWN,
  phase: 'waiting',
  me: null,
  players: [],
  seats: [],
  settings: null,
  result: null,
}

export function fold(table: TableState, event: Event): TableState {
  switch (event.type) {
    case 'lobby': {
      const { players, current_player_id, settings } = event.lobby
      return {
        ...table,
        // The lobby that follows an `end` must not wipe the result off the table.
        phase: table.phase === 'over' ? 'over' : 'lobby',
        me: event.spectator ? null : current_player_id,
        players,
        settings,
      }
    }
    case 'start': {
      const { players, current_player_id, settings } = event
      const me = event.spectator ? null : current_player_id
      return { ...emptyTable, phase: 'round', me, players, seats: players, settings }
    }
    case 'end':
      return { ...table, phase: 'over', result: event }
    default:
      return table
  }
}

/** The visitor has seen the result and goes back to the lobby. */
export function leaveRound(table: TableState): TableState {
  return table.phase === 'over' ? { ...table, phase: 'lobby' } : table
}

/** The winner gains what the others were left with. */
export function resultOf({ result, seats }: TableState): MatchResult | null {
  if (!result) return null
  const { winner_id, hand_values } = result
  const gain = Object.values(hand_values).reduce((sum, value) => sum + value, 0)
  const points = seats.map(({ id }) =>
    id === winner_id
      ? `+${gain}`
      : id in hand_values
        ? t('held {points}', { points: hand_values[id]! })
        : '–',
  )
  const winners = seats.flatMap(({ id }, seat) => (id === winner_id ? [seat] : []))
  return { winners, points: { ...points }, what: t('This round') }
}
