/** What the messages of a table add up to, whatever is played there. */
import { t } from '../../lib/messages'
import type { Event, LobbyEvent, PlayerInfo, ResultEvent } from '../../protocol/plain'
import { NOTHING_DRAWN, type Drawn } from '../../scenes/fold'
import type { MatchResult } from '../../scenes/result'

export interface TableState extends Drawn {
  /** This visitor's place; `null`: watching, or not known yet. */
  place: number | null
  lobby: LobbyEvent | null
  result: ResultEvent | null
  /** Who plays in the match, by seat; kept when they leave, and after the match. */
  seats: Record<number, PlayerInfo>
  /** Shows the table and not the lobby. */
  atTable: boolean
}

export const EMPTY: TableState = {
  ...NOTHING_DRAWN,
  place: null,
  lobby: null,
  result: null,
  seats: {},
  atTable: false,
}

export function fold(state: TableState, message: Event): TableState {
  switch (message.type) {
    case 'welcome':
      return { ...state, place: message.place }
    case 'lobby':
      return withLobby(state, message)
    case 'match':
      return { ...state, ...NOTHING_DRAWN, result: null, atTable: true }
    case 'result':
      return { ...state, result: message }
    default:
      return state
  }
}

function withLobby(state: TableState, lobby: LobbyEvent): TableState {
  if (!lobby.running) return { ...state, lobby }
  const seated = lobby.players.filter(({ seat }) => seat !== null)
  const seats = Object.fromEntries(seated.map((player) => [player.seat, player]))
  return { ...state, lobby, seats: { ...state.seats, ...seats } }
}

export const putAway = (state: TableState): TableState => ({ ...state, atTable: false })

export function resultOf({ result }: TableState): MatchResult | null {
  return result && { winners: result.winners, points: result.scores, what: t('Points') }
}
