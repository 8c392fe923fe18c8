/** Cambia's messages in the enveloped form, as they go over the wire. */

export type Rank = 'A' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | 'T' | 'J' | 'Q' | 'K' | 'O'
export type Suit = 'H' | 'D' | 'C' | 'S' | 'R' | 'B'
export type Special =
  | 'peek_self'
  | 'peek_other'
  | 'swap_blind'
  | 'swap_peek'
  | 'swap_peek_reveal'
  | 'swap_peek_swap'
  | 'skip'
export type Phase = 'open' | 'countdown' | 'in_game' | 'post_game'
export type Source = 'stockpile' | 'discardpile'

export interface User {
  id: string
}

/** The face where it is shown, `idx` and `user` for hand cards. */
export interface Card {
  id: string
  rank?: Rank
  suit?: Suit
  value?: number
  idx?: number
  user?: User
}

export interface HouseRules {
  allowDrawFromDiscardPile: boolean
  allowReplaceAbilities: boolean
  snapRace: boolean
  forfeitOnDisconnect: boolean
  penaltyDrawCount: number
  autoKickTurnCount: number
  turnTimerSec: number
  allowOpponentSnapping: boolean
  lockCallerHand: boolean
  numJokers: number
  initialViewCount: number
  remindKnown: boolean
}

export interface CircuitRules {
  targetScore: number
  winBonus: number
  falseCambiaPenalty: number
  freezeUserOnDisconnect: boolean
}

export interface Circuit {
  enabled: boolean
  mode: '' | 'circuit_4p' | 'circuit_7p8p'
  rules: CircuitRules
}

export interface LobbySettings {
  autoStart: boolean
  countdownSec: number | null
}

// The lobby

export interface LobbyUser {
  id: string
  username: string
  is_host: boolean
  is_ready: boolean
  connected: boolean
  is_bot: boolean
}

export interface LobbyStatus {
  users: LobbyUser[]
}

/** The lobby as one reader sees it. A spectator has no `your_id`. */
export interface LobbyState {
  type: 'lobby_state'
  lobby_id: string
  host_id: string | null
  your_id: string | null
  your_is_host: boolean
  lobby_type: 'private' | 'public' | 'matchmaking'
  game_mode: string
  in_game: boolean
  game_id: string | null
  house_rules: HouseRules
  circuit: Circuit
  settings: LobbySettings
  lobby_status: LobbyStatus
  name: string
  code: string
  max_players: number
  phase: Phase
}

/** To who connects: the fields of `lobby_state`, and the game's, if one is running. */
export interface SyncState extends Omit<LobbyState, 'type'> {
  type: 'sync_state'
  state: GameState | null
}

/** `seconds` where the next phase comes by itself. */
export interface PhaseChange {
  type: 'phase_change'
  phase: Phase
  seconds?: number
}

export interface EnvelopedChat {
  type: 'chat'
  userID: string
  username: string
  msg: string
}

/** The players' ids, in turn order. */
export interface GameStarted {
  type: 'game_started'
  game_id: string
  players: string[]
}

export interface GameResults {
  type: 'game_results'
  winner: string | null
  scores: Record<string, number>
  lobby_status: LobbyStatus
  winners: string[]
}

// The game's state

export interface SeenCard {
  id: string
  known: boolean
  rank?: Rank
  suit?: Suit
  value?: number
}

export interface HandCard extends SeenCard {
  idx: number
}

/** An ability waiting for its player. */
export interface SpecialAction {
  active: boolean
  playerId: string | null
  cardRank: Rank | null
  /** What its player is to send, or `skip`. */
  special?: Special
  /** The two cards of a King's first step. */
  looked?: string[]
}

export interface PlayerState {
  playerId: string
  username: string
  handSize: number
  hasCalledCambia: boolean
  connected: boolean
  isCurrentTurn: boolean
  revealedHand: HandCard[]
  drawnCard?: SeenCard
  /** It has missed too many turns, and the timer plays for it. */
  timerPlays: boolean
  /** It has to hand a card over by then. */
  owesCardUntil?: number
  /** In a circuit, its total so far. */
  total?: number
}

/** Moments are milliseconds since the epoch; in the pre-game `turnDeadline` is its end. */
export interface GameState {
  gameId: string
  preGameActive: boolean
  started: boolean
  gameOver: boolean
  currentPlayerId: string | null
  turnId: number
  stockpileSize: number
  discardSize: number
  discardTop: SeenCard | null
  players: PlayerState[]
  cambiaCalled: boolean
  cambiaCallerId: string | null
  houseRules: HouseRules
  turnDeadline: number | null
  serverNow: number
  specialAction: SpecialAction
}

/** On connect, when the cards are dealt, and when play starts. */
export interface PrivateSyncState {
  type: 'private_sync_state'
  state: GameState
}

/** What one looks at in the pre-game. */
export interface PrivateInitialCards {
  type: 'private_initial_cards'
  user: User
  card1: Card | null
  card2: Card | null
  cards: Card[]
}

// The game

export interface Timer {
  serverNow: number
  /** `null`: this turn has no deadline. */
  turnDeadline: number | null
}

export interface GamePlayerTurn {
  type: 'game_player_turn'
  user: User
  payload: Timer & { turn: number }
}

/** The turn goes on with another deadline; its player left or came back. */
export interface GameTurnTimer {
  type: 'game_turn_timer'
  user: User
  payload: Timer
}

/** To all. The card shows its face only when it comes from the discard pile. */
export interface PlayerDrawStockpile {
  type: 'player_draw_stockpile'
  user: User
  card: Card
  source: Source
  stockpileSize: number
  payload: { source: Source; stockpileSize: number; discardSize: number }
}

export interface PrivateDrawStockpile {
  type: 'private_draw_stockpile'
  user: User
  card: Card
  source: Source
  payload: { source: Source }
}

/** With an `idx`, the card was replaced by the drawn one, which lies there now. */
export interface PlayerDiscard {
  type: 'player_discard'
  user: User
  card: Card
  /** The timer discarded. */
  timedOut?: boolean
}

/** All discards but the top one went under the stockpile. */
export interface GameReshuffleStockpile {
  type: 'game_reshuffle_stockpile'
  stockpileSize: number
  payload: { stockpileSize: number }
}

export interface PlayerSpecialChoice {
  type: 'player_special_choice'
  user: User
  card: Card
  special: Special
  payload: Timer
}

/** One card: `card` and `card1`; two: `card1` and `card2`, swapped ones where they lie now. */
export interface PlayerSpecialAction {
  type: 'player_special_action'
  user: User
  special: Special
  card?: Card
  card1?: Card
  card2?: Card
  payload?: Timer
  timedOut?: boolean
}

export interface PrivateSpecialActionSuccess {
  type: 'private_special_action_success'
  user: User
  special: Special
  card?: Card
  card1?: Card
  card2?: Card
}

export interface PrivateSpecialActionFail {
  type: 'private_special_action_fail'
  user: User
  special: Special
  card1: Card
  card2: Card
  payload: Timer & { message: string }
  message: string
}

export interface PlayerCambia {
  type: 'player_cambia'
  user: User
}

/** `card.user` is whose card it was. */
export interface PlayerSnapSuccess {
  type: 'player_snap_success'
  user: User
  card: Card
  /** Another's card was snapped: one of one's own is owed. */
  payload?: { moveDeadline: number }
}

export interface PlayerSnapFail {
  type: 'player_snap_fail'
  user: User
  card: Card
}

export interface Penalty {
  count: number
  total: number
  stockpileSize: number
}

export interface PlayerSnapPenalty {
  type: 'player_snap_penalty'
  user: User
  player: User
  card: Card
  stockpileSize: number
  payload: Penalty
}

export interface PrivateSnapPenalty {
  type: 'private_snap_penalty'
  user: User
  player: User
  card: Card
  payload: Penalty
}

/** `card` at its new owner and idx. */
export interface PlayerSnapMove {
  type: 'player_snap_move'
  user: User
  card: Card
  payload: { sourceIdx: number }
  timedOut?: boolean
}

export interface PlayerDisconnect {
  type: 'player_disconnect'
  user: User
}

export interface PlayerReconnect {
  type: 'player_reconnect'
  user: User
}

export interface GameAutoPlay {
  type: 'game_auto_play'
  user: User
  payload: { active: boolean }
}

export interface CircuitScore {
  totals: Record<string, number>
  over: boolean
  champions: string[]
}

/** `scores` by player, without those who forfeit. `winner` is the first of `winners`. */
export interface Result {
  scores: Record<string, number>
  winner: string | null
  winners: string[]
  caller: string | null
  penaltyApplied: boolean
  winBonusApplied: boolean
  reason: 'cambia' | 'stockpile' | 'abandoned'
  /** All cards, turned up. */
  hands: Record<string, Card[]>
  circuit?: CircuitScore
}

export interface GameEnd {
  type: 'game_end'
  payload: Result
}

export interface EnvelopedError {
  type: 'error'
  error: string
  code: string
  message: string
}

export interface Pong {
  type: 'pong'
}

export type Message =
  | LobbyState
  | SyncState
  | PhaseChange
  | EnvelopedChat
  | GameStarted
  | GameResults
  | PrivateSyncState
  | PrivateInitialCards
  | GamePlayerTurn
  | GameTurnTimer
  | PlayerDrawStockpile
  | PrivateDrawStockpile
  | PlayerDiscard
  | GameReshuffleStockpile
  | PlayerSpecialChoice
  | PlayerSpecialAction
  | PrivateSpecialActionSuccess
  | PrivateSpecialActionFail
  | PlayerCambia
  | PlayerSnapSuccess
  | PlayerSnapFail
  | PlayerSnapPenalty
  | PrivateSnapPenalty
  | PlayerSnapMove
  | PlayerDisconnect
  | PlayerReconnect
  | GameAutoPlay
  | GameEnd
  | EnvelopedError
  | Pong

/** What a server frame holds: `payload` is the whole message, its type included. */
export interface Frame {
  seq: number
  type: Message['type']
  payload: Message
}

// What clients send

export interface CardRef {
  id: string
  idx?: number
}

export interface Rules {
  houseRules?: Partial<HouseRules>
  circuit?: Partial<Circuit>
  settings?: Partial<LobbySettings>
}

export type Action =
  | { type: 'ready' }
  | { type: 'unready' }
  | { type: 'leave_lobby' }
  | { type: 'chat'; msg: string }
  | { type: 'update_rules'; rules: Rules }
  | { type: 'start_game' }
  | { type: 'add_bot' }
  | { type: 'remove_bot'; userID?: string }
  | { type: 'ping' }
  | { type: 'action_draw_stockpile' }
  | { type: 'action_draw_discardpile' }
  | { type: 'action_discard'; card: CardRef }
  | { type: 'action_replace'; card: CardRef }
  | { type: 'action_snap'; card: CardRef }
  | { type: 'action_snap_move'; card: CardRef }
  | { type: 'action_cambia' }
  | {
      type: 'action_special'
      special: 'peek_self' | 'peek_other' | 'swap_blind' | 'swap_peek' | 'swap_peek_swap' | 'skip'
      card1?: CardRef
      card2?: CardRef
    }
