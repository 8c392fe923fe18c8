/** ONU's messages by the names this page uses for them. */
export { Outgoing as Message } from '../../protocol/onu'
export type {
  Card,
  DrewEvent,
  Incoming as Action,
  LobbyEvent,
  PlayedEvent,
  PlayerInfo,
  SeatInfo,
  StateEvent,
} from '../../protocol/onu'
