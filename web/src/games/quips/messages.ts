/** Quips' messages by the names this page uses for them. */
import type { SentCard } from '../../protocol/quips'

export { Outgoing as ServerMessage } from '../../protocol/quips'
export type {
  Cheer as Applause,
  ExtendedEntry as PlayerInfo,
  Incoming as ClientMessage,
  SendAllCards as AllCards,
  SendClientInfo as ClientInfo,
  SendGameState as GameState,
  SendPlayersExtended as Players,
  SentPack as Pack,
} from '../../protocol/quips'

/** A text by language (BCP 47); there always is one for `en`. */
export type Texts = Record<string, string>

/** An answer. */
export type WhiteCard = Required<
  Pick<SentCard, 'id' | 'content' | 'flags' | 'tier' | 'tier_cost' | 'next_tier_id'>
>

export const isWhite = (card: SentCard): card is WhiteCard => card.tier !== undefined
