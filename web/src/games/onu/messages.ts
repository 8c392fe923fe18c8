/** ONU's messages by the names this page uses for them. */
export type {
  Card,
  DrewEvent,
  Incoming as Action,
  LobbyEvent,
  Outgoing as Message,
  PlayedEvent,
  PlayerInfo,
  SeatInfo,
  StateEvent,
} from '../../protocol/onu'
