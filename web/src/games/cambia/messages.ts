/** Cambia's messages under the names this table has for them. The types are the server's own. */
import type { Incoming, LobbyStateWithPhase, RulesChange } from '../../protocol/cambia'

export { Outgoing as Message } from '../../protocol/cambia'
export type { Card, GameState, HouseRules, Result } from '../../protocol/cambia'

export type Action = Incoming
export type LobbyState = LobbyStateWithPhase
export type Rules = RulesChange

/** The envelope around every message to us. */
export interface Frame {
  seq: number
  type: string
  payload: unknown
}
