/** Quips: the messages, as they go over the wire.
 *
 * Made by `make types` from the server's own; change them there. */

import {
  boolean,
  list,
  maybe,
  messages,
  nil,
  number,
  oneOf,
  or,
  record,
  string,
  struct,
  type Shape,
} from '../lib/shapes'

export type Stage = 'game_starting' | 'playing' | 'judging' | 'round_end' | 'game_end'

export type Reason =
  | 'reject_server_full'
  | 'reject_bad_password'
  | 'reject_duplicate'
  | 'reject_banned'
  | 'reject_afk'
  | 'reject_no_such_table'

export type Cheer = 'Bravo!' | 'Ha ha!' | 'Ouch!' | 'What?!'

/** The reader's own place and name. The token brings them back to their seat. */
export interface SendClientInfo {
  msg: 's_clientinfo'
  player_id: number
  player_name: string
  player_token: string
}

/** Somebody at the table, and more about them. */
export interface ExtendedEntry {
  name: string
  id: number
  score: number
  upgrade_points: number
  voted_skip: boolean
  idle: boolean
  is_bot: boolean
  ready_up: boolean
  /** Runs the table. */
  host: boolean
  /**
   * Their client sends `c_turn` when they judge. Nobody waits for a judge whose client does not.
   */
  turns: boolean
}

/** Everybody at the table, at every change of an entry. */
export interface SendPlayersExtended {
  msg: 's_players'
  players: ExtendedEntry[]
}

/** A white card (`tier`, `tier_cost`, `next_tier_id`) or a black one (`pick`, `draw`). */
export interface SentCard {
  id: string
  content: Record<string, string>
  flags: string[]
  tier?: number
  tier_cost?: number
  /** Another white card that is sent; empty: none. */
  next_tier_id?: string
  pick?: number
  draw?: number
}

/** Texts are by language: the bare one, `en`, and tags that browsers are set to. */
export interface SentTrophy {
  id: string
  name: Record<string, string>
  desc: Record<string, string>
  trophy_grade: number
}

/** One pack in use. */
export interface SentPack {
  id: string
  name: string
  accent: string
  accent_color: string
  accent_background: string
  cards: SentCard[]
  trophies: SentTrophy[]
}

/** Every card in use: at connect, when they change, and in answer to `c_getallcards`. */
export interface SendAllCards {
  msg: 's_allcards'
  packs: SentPack[]
}

/** The reader's hand: at every change, and in answer to a refused play, discard or upgrade. */
export interface SendHand {
  msg: 's_hand'
  blanks: number
  discards: number
  hand: string[]
}

/** Which of `plays` the judge has turned over so far, as indexes; empty: none any more. */
export interface SendTurned {
  msg: 's_turned'
  plays: number[]
}

export interface TrophyWinner {
  id: number
  trophies: SentTrophy[]
}

/** How a game ended; several winners share the top score. */
export interface GameResults {
  winners: number[]
  trophy_winners: TrophyWinner[]
}

/** Where the game stands, at every change. Every key is there in every stage. */
export interface SendGameState {
  msg: 's_gamestate'
  stage: Stage
  ready_up: boolean
  round: number
  black_card: string | null
  judge: number
  pending_players: number[]
  /** Empty until `judging`; the order says nothing about who played what. */
  plays: string[][]
  winning_play: number
  winning_player: number
  judge_voted_self: boolean
  /** Not null in `game_end` alone. */
  game_results: GameResults | null
}

/** The points that the reader can spend on upgrades. */
export interface SendAuxClientData {
  msg: 's_auxclientdata'
  aux_points: number
}

/** The cards that the reader has played in this round. */
export interface SendCardsPlayed {
  msg: 's_cardsplayed'
  selection: string[]
}

/** A black card was voted away. Not sent to the older generation. */
export interface SendNotifySkipped {
  msg: 's_notify_skipped'
  skipped_id: string
  replacement_id: string
}

/** Somebody said something. Not sent to the older generation. */
export interface SendChatMessage {
  msg: 's_chat_msg'
  author: string
  body: string
}

/** The last message before the connection is closed with 1000. */
export interface SendRejectExtended {
  msg: 's_rejectclient'
  /** `reject_kicked`: put out by the host, and free to come back. */
  reason: Reason | 'reject_kicked'
  desc: string
}

/** Our extension: something was refused, to the sender only. */
export interface SendError {
  msg: 's_error'
  code: string
  desc: string
}

/** The changes that players can make about themselves. */
export interface UserInfo {
  name?: string | null
}

export type Outgoing =
  | SendClientInfo
  | SendPlayersExtended
  | SendAllCards
  | SendHand
  | SendTurned
  | SendGameState
  | SendAuxClientData
  | SendCardsPlayed
  | SendNotifySkipped
  | SendChatMessage
  | SendRejectExtended
  | SendError

/** Play these cards of the hand, in the order of the gaps. */
export interface PlayCards {
  msg: 'c_playcards'
  cards?: (string | null)[] | null
}

/** The judge's choice, as an index of `plays`. */
export interface JudgeCards {
  msg: 'c_judgecards'
  play_index: number
}

/** Be called something else; always answered with `s_clientinfo`. */
export interface UpdateInfo {
  msg: 'c_updateinfo'
  userinfo: UserInfo
}

/** Spend points on the next tier of a card in the hand. */
export interface UpgradeCard {
  msg: 'c_upgradecard'
  card_id?: string | null
}

/** Throw a card of the hand away and draw another. */
export interface DiscardCard {
  msg: 'c_discardcard'
  card_id?: string | null
}

/** For another black card, or no longer. */
export interface VoteSkip {
  msg: 'c_vote_skip'
  voted: boolean
}

/** Say something to everybody. */
export interface ChatMessage {
  msg: 'c_chat_msg'
  body: string
}

/** Ready for the next game, or not any more. */
export interface ReadyUp {
  msg: 'c_ready_up'
  status: boolean
}

/** Asks for `s_allcards`. */
export interface GetAllCards {
  msg: 'c_getallcards'
}

/** The judge turns a play over, as an index of `plays`, for all to read. */
export interface Turn {
  msg: 'c_turn'
  play_index: number
}

/** Call something out; spectators may, too. */
export interface Applaud {
  msg: 'c_applaud'
  cheer: Cheer
}

export type Incoming =
  | PlayCards
  | JudgeCards
  | UpdateInfo
  | UpgradeCard
  | DiscardCard
  | VoteSkip
  | ChatMessage
  | ReadyUp
  | GetAllCards
  | Turn
  | Applaud

const Stage = oneOf('game_starting', 'playing', 'judging', 'round_end', 'game_end')

const Reason = oneOf(
  'reject_server_full',
  'reject_bad_password',
  'reject_duplicate',
  'reject_banned',
  'reject_afk',
  'reject_no_such_table',
)

const SendClientInfo = struct({
  msg: oneOf('s_clientinfo'),
  player_id: number,
  player_name: string,
  player_token: string,
})

const ExtendedEntry = struct({
  name: string,
  id: number,
  score: number,
  upgrade_points: number,
  voted_skip: boolean,
  idle: boolean,
  is_bot: boolean,
  ready_up: boolean,
  host: boolean,
  turns: boolean,
})

const SendPlayersExtended = struct({
  msg: oneOf('s_players'),
  players: list(ExtendedEntry),
})

const SentCard = struct({
  id: string,
  content: record(string),
  flags: list(string),
  tier: maybe(number),
  tier_cost: maybe(number),
  next_tier_id: maybe(string),
  pick: maybe(number),
  draw: maybe(number),
})

const SentTrophy = struct({
  id: string,
  name: record(string),
  desc: record(string),
  trophy_grade: number,
})

const SentPack = struct({
  id: string,
  name: string,
  accent: string,
  accent_color: string,
  accent_background: string,
  cards: list(SentCard),
  trophies: list(SentTrophy),
})

const SendAllCards = struct({
  msg: oneOf('s_allcards'),
  packs: list(SentPack),
})

const SendHand = struct({
  msg: oneOf('s_hand'),
  blanks: number,
  discards: number,
  hand: list(string),
})

const SendTurned = struct({
  msg: oneOf('s_turned'),
  plays: list(number),
})

const TrophyWinner = struct({
  id: number,
  trophies: list(SentTrophy),
})

const GameResults = struct({
  winners: list(number),
  trophy_winners: list(TrophyWinner),
})

const SendGameState = struct({
  msg: oneOf('s_gamestate'),
  stage: Stage,
  ready_up: boolean,
  round: number,
  black_card: or(string, nil),
  judge: number,
  pending_players: list(number),
  plays: list(list(string)),
  winning_play: number,
  winning_player: number,
  judge_voted_self: boolean,
  game_results: or(GameResults, nil),
})

const SendAuxClientData = struct({
  msg: oneOf('s_auxclientdata'),
  aux_points: number,
})

const SendCardsPlayed = struct({
  msg: oneOf('s_cardsplayed'),
  selection: list(string),
})

const SendNotifySkipped = struct({
  msg: oneOf('s_notify_skipped'),
  skipped_id: string,
  replacement_id: string,
})

const SendChatMessage = struct({
  msg: oneOf('s_chat_msg'),
  author: string,
  body: string,
})

const SendRejectExtended = struct({
  msg: oneOf('s_rejectclient'),
  reason: or(Reason, oneOf('reject_kicked')),
  desc: string,
})

const SendError = struct({
  msg: oneOf('s_error'),
  code: string,
  desc: string,
})

export const Outgoing: Shape<Outgoing> = messages('msg', {
  s_clientinfo: SendClientInfo,
  s_players: SendPlayersExtended,
  s_allcards: SendAllCards,
  s_hand: SendHand,
  s_turned: SendTurned,
  s_gamestate: SendGameState,
  s_auxclientdata: SendAuxClientData,
  s_cardsplayed: SendCardsPlayed,
  s_notify_skipped: SendNotifySkipped,
  s_chat_msg: SendChatMessage,
  s_rejectclient: SendRejectExtended,
  s_error: SendError,
})
