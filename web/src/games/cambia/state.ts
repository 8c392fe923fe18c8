/** A Cambia table around its games: a pure fold over the protocol's messages. The games are drawn
 *  from scenes. */
import { t } from '../../lib/messages'
import type { Timer } from '../../lib/clock.svelte'
import { NOTHING_DRAWN, type Drawn } from '../../scenes/fold'
import type { MatchResult } from '../../scenes/result'
import type { HouseRules, LobbyState, Message, Result } from './messages'
import { aftermath, outcome } from './words'

export interface Game {
  id: string
  /** By seat. */
  players: { id: string; name: string }[]
  rules: HouseRules
  result: Result | null
}

export interface TableState extends Drawn {
  lobby: LobbyState | null
  /** Until the next phase comes by itself. */
  countdown: Timer | null
  /** This viewer's id; `null` for a spectator. */
  me: string | null
  game: Game | null
}

export const emptyTable: TableState = {
  ...NOTHING_DRAWN,
  lobby: null,
  countdown: null,
  me: null,
  game: null,
}

/** `now` is when the message arrived, by this machine's clock. */
export function fold(table: TableState, message: Message, now = Date.now()): TableState {
  switch (message.type) {
    case 'lobby_state':
      return inLobby(table, message)
    case 'phase_change': {
      const total = (message.seconds ?? 0) * 1000
      return {
        ...table,
        lobby: table.lobby && { ...table.lobby, phase: message.phase },
        countdown: message.seconds === undefined ? null : { until: now + total, total },
      }
    }
    case 'private_sync_state': {
      const { gameId: id, houseRules: rules } = message.state
      if (table.game?.id === id) return table
      const players = message.state.players.map((one) => ({ id: one.playerId, name: one.username }))
      return { ...table, ...NOTHING_DRAWN, game: { id, players, rules, result: null } }
    }
    case 'game_end':
      return { ...table, game: table.game && { ...table.game, result: message.payload } }
    default:
      return table
  }
}

function inLobby(table: TableState, lobby: LobbyState): TableState {
  // A game that ended while we were disconnected is gone; a result that is shown stays.
  const gone = lobby.phase !== 'in_game' && !table.game?.result
  return {
    ...table,
    lobby,
    me: lobby.your_id,
    countdown: table.lobby?.phase === lobby.phase ? table.countdown : null,
    game: gone ? null : table.game,
  }
}

/** The visitor has seen the result and goes back to the lobby. */
export const leaveGame = (table: TableState): TableState =>
  table.game?.result ? { ...table, game: null } : table

/** The lowest hand first; players without a score last. */
export function resultOf({ game, me }: TableState): MatchResult | null {
  if (!game?.result) return null
  const { players, result } = game
  const score = (seat: number): number | undefined => result.scores[players[seat]?.id ?? '']
  const seats = players.map((_, seat) => seat)
  const { circuit } = result
  return {
    winners: seats.filter((seat) => result.winners.includes(players[seat]!.id)),
    points: { ...seats.map((seat) => score(seat) ?? 'forfeit') },
    what: t('Score'),
    title: outcome(game, me),
    note: aftermath(game, me),
    totals: circuit && { ...players.map(({ id }) => circuit.totals[id] ?? 0) },
    ranked: seats.toSorted((a, b) => (score(a) ?? Infinity) - (score(b) ?? Infinity) || 0),
  }
}
