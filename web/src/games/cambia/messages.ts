/** Cambia's messages under the names this table has for them. The types are the server's own. */
import type {
  Incoming,
  LobbyStateWithPhase,
  RulesChange,
  Source as FromWhere,
  SpecialName,
} from '../../protocol/cambia'

export { Outgoing as Message } from '../../protocol/cambia'
export type {
  Card,
  Circuit,
  CircuitRules,
  GameEnd,
  GameState,
  HandCard,
  HouseRules,
  LobbySettings,
  LobbyUser,
  Phase,
  PlayerDiscard,
  PlayerDrawStockpile,
  PlayerSnapSuccess,
  PlayerSpecialAction,
  PlayerState,
  Rank,
  Result,
  SeenCard,
  Suit,
  Timer,
} from '../../protocol/cambia'

export type Action = Incoming
export type LobbyState = LobbyStateWithPhase
export type Rules = RulesChange
export type Special = SpecialName
export type Source = FromWhere['source']

/** The envelope around every message to us. */
export interface Frame {
  seq: number
  type: string
  payload: unknown
}
