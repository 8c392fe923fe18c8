/** Quips: the messages, as they go over the wire.
 *
 * Made by `make types` from the server's own; change them there. */

export type Stage = 'game_starting' | 'playing' | 'judging' | 'round_end' | 'game_end'

/** A text by language (BCP 47); there always is one for `en`. */
export type Texts = Record<string, string>

/** An answer. */
export interface WhiteCard {
  id: string
  content: Texts
  flags: string[]
  tier: number
  /** What it costs to upgrade the tier below to this one. */
  tier_cost: number
  /** The card this one can be upgraded to; "": none. */
  next_tier_id: string
}

/** A sentence with `pick` gaps, or a question that takes `pick` answers. */
export interface BlackCard {
  id: string
  content: Texts
  flags: string[]
  pick: number
  /** Extra cards dealt to everybody but the judge. */
  draw: number
}

export interface Trophy {
  id: string
  name: Texts
  desc: Texts
  trophy_grade: number
}

export interface Pack {
  id: string
  name: string
  accent: string
  accent_color: string
  accent_background: string
  cards: (WhiteCard | BlackCard)[]
  trophies: Trophy[]
}

export interface PlayerInfo {
  name: string
  id: number
  score: number
  upgrade_points: number
  voted_skip: boolean
  idle: boolean
  is_bot: boolean
  ready_up: boolean
}

export interface TrophyWinner {
  id: number
  trophies: Trophy[]
}

export interface GameResults {
  winners: number[]
  trophy_winners: TrophyWinner[]
}

// From the server

export interface ClientInfo {
  msg: 's_clientinfo'
  player_id: number
  player_name: string
  player_token: string
}

export interface Players {
  msg: 's_players'
  players: PlayerInfo[]
}

export interface AllCards {
  msg: 's_allcards'
  packs: Pack[]
}

export interface Hand {
  msg: 's_hand'
  blanks: number
  discards: number
  hand: string[]
}

export interface GameState {
  msg: 's_gamestate'
  stage: Stage
  ready_up: boolean
  round: number
  black_card: string | null
  judge: number
  pending_players: number[]
  plays: string[][]
  winning_play: number
  winning_player: number
  judge_voted_self: boolean
  game_results: GameResults | null
}

export interface AuxClientData {
  msg: 's_auxclientdata'
  aux_points: number
}

export interface CardsPlayed {
  msg: 's_cardsplayed'
  selection: string[]
}

export interface NotifySkipped {
  msg: 's_notify_skipped'
  skipped_id: string
  replacement_id: string
}

export interface ChatMessage {
  msg: 's_chat_msg'
  author: string
  body: string
}

export interface RejectClient {
  msg: 's_rejectclient'
  reason: string
  desc: string
}

/** An extension: something was refused; nothing has changed. */
export interface ErrorMessage {
  msg: 's_error'
  code: string
  desc: string
}

export type ServerMessage =
  | ClientInfo
  | Players
  | AllCards
  | Hand
  | GameState
  | AuxClientData
  | CardsPlayed
  | NotifySkipped
  | ChatMessage
  | RejectClient
  | ErrorMessage

// From the client

export type ClientMessage =
  | { msg: 'c_playcards'; cards: string[] }
  | { msg: 'c_judgecards'; play_index: number }
  | { msg: 'c_updateinfo'; userinfo: { name: string } }
  | { msg: 'c_upgradecard'; card_id: string }
  | { msg: 'c_discardcard'; card_id: string }
  | { msg: 'c_vote_skip'; voted: boolean }
  | { msg: 'c_chat_msg'; body: string }
  | { msg: 'c_ready_up'; status: boolean }
  | { msg: 'c_getallcards' }
