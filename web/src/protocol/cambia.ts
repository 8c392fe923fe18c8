/** Cambia: the messages, as they go over the wire.
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

export type Rank = 'A' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | 'T' | 'J' | 'Q' | 'K' | 'O'

export type Suit = 'H' | 'D' | 'C' | 'S' | 'R' | 'B'

export type SpecialName =
  | 'peek_self'
  | 'peek_other'
  | 'swap_blind'
  | 'swap_peek'
  | 'swap_peek_swap'
  | 'swap_peek_reveal'
  | 'skip'

export type Phase = 'open' | 'countdown' | 'in_game' | 'post_game'

export type SpecialSpecial =
  | 'peek_self'
  | 'peek_other'
  | 'swap_blind'
  | 'swap_peek'
  | 'swap_peek_swap'
  | 'skip'
  | 'blind_swap'
  | 'peek_swap'
  | 'swap_look'

export interface User {
  id: string
}

/** Turns are counted from 1. */
export interface Turn {
  turn: number
  serverNow: number
  turnDeadline: number | null
}

/** Protocol: Turn Timer and Current Turn Broadcast. */
export interface GamePlayerTurn {
  type: 'game_player_turn'
  user: User
  payload: Turn
}

/** Moments in milliseconds since the epoch; null: this turn has no deadline. */
export interface Timer {
  serverNow: number
  turnDeadline: number | null
}

/** Our extension: the turn goes on with another deadline, its player having gone or come. */
export interface GameTurnTimer {
  type: 'game_turn_timer'
  user: User
  payload: Timer
}

/** Spec: Cards on the wire. The face where it is shown, `idx` and `user` for hand cards. */
export interface Card {
  id: string
  rank?: Rank
  suit?: Suit
  value?: number
  idx?: number
  user?: User
}

/** Where the card came from, and how many cards the piles hold now. */
export interface Drawn {
  source: 'stockpile' | 'discardpile'
  stockpileSize: number
  discardSize: number
}

/** To all. The card shows its face only when it comes from the discard pile. */
export interface PlayerDrawStockpile {
  type: 'player_draw_stockpile'
  user: User
  card: Card
  source: 'stockpile' | 'discardpile'
  stockpileSize: number
  payload: Drawn
}

export interface Source {
  source: 'stockpile' | 'discardpile'
}

/** To the player who drew. */
export interface PrivateDrawStockpile {
  type: 'private_draw_stockpile'
  user: User
  card: Card
  source: 'stockpile' | 'discardpile'
  payload: Source
}

/** With an `idx`, the card was replaced by the drawn one, which lies there now. */
export interface PlayerDiscard {
  type: 'player_discard'
  user: User
  card: Card
  /** Our extension: true where the timer discarded. */
  timedOut?: boolean
}

/** The ability of a discarded card; the turn's timer has started again. */
export interface PlayerSpecialChoice {
  type: 'player_special_choice'
  user: User
  card: Card
  special: SpecialName
  payload: Timer
}

/** The use of an ability. One card: `card` and `card1`; two: `card1` and `card2`. */
export interface PlayerSpecialAction {
  type: 'player_special_action'
  user: User
  special: SpecialName
  card?: Card
  card1?: Card
  card2?: Card
  /** After a King's look, which starts the timer again. */
  payload?: Timer
  /** Our extension: true where the timer skipped. */
  timedOut?: boolean
}

/** The same for its player, with the faces. */
export interface PrivateSpecialActionSuccess {
  type: 'private_special_action_success'
  user: User
  special: SpecialName
  card?: Card
  card1?: Card
  card2?: Card
}

export interface Retry {
  message: string
  serverNow: number
  turnDeadline: number | null
}

/** Choose again, or skip; the timer runs on. The cards are told where they really lie. */
export interface PrivateSpecialActionFail {
  type: 'private_special_action_fail'
  user: User
  special: SpecialName
  card?: Card
  card1: Card
  card2?: Card
  payload: Retry
  /** Our extension: `payload.message`, for clients that look for it here. */
  message: string
}

/** Protocol: Calling Cambia Action. */
export interface PlayerCambia {
  type: 'player_cambia'
  user: User
}

/** Until when a card must be handed over with `action_snap_move`. */
export interface Debt {
  moveDeadline: number
}

/** Protocol: Snap Action. `card.user` is whose card it was. */
export interface PlayerSnapSuccess {
  type: 'player_snap_success'
  user: User
  card: Card
  /** Where another's card was snapped. */
  payload?: Debt
}

/** Protocol: Snap Action. The card stays where it was. */
export interface PlayerSnapFail {
  type: 'player_snap_fail'
  user: User
  card: Card
}

/** Card `count` of `total`. */
export interface Penalty {
  count: number
  total: number
  stockpileSize: number
}

/** To all: a blind card, at the end of the hand. */
export interface PlayerSnapPenalty {
  type: 'player_snap_penalty'
  user: User
  player: User
  card: Card
  stockpileSize: number
  payload: Penalty
}

/** To the player it hits, as blind as to the others. */
export interface PrivateSnapPenalty {
  type: 'private_snap_penalty'
  user: User
  player: User
  card: Card
  stockpileSize: number
  payload: Penalty
}

/** Where the card lay in the hand it came from. */
export interface SourceIdx {
  sourceIdx: number
}

/** A card handed over: `card` at its new owner and idx, face down. */
export interface PlayerSnapMove {
  type: 'player_snap_move'
  user: User
  card: Card
  payload: SourceIdx
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

export interface Active {
  active: boolean
}

/** Our extension: from now on the timer plays this seat, or (not `active`) its owner. */
export interface GameAutoPlay {
  type: 'game_auto_play'
  user: User
  payload: Active
}

/** The reader's cards in the pre-game: slots 0 and 1 as `card1` and `card2`. */
export interface PrivateInitialCards {
  type: 'private_initial_cards'
  user: User
  card1: Card | null
  card2: Card | null
  /** Our extension: all of them, where `initialViewCount` is not 2. */
  cards: Card[]
}

/** How many cards the stockpile holds now. */
export interface Size {
  stockpileSize: number
}

/** All discards but the top one went under the stockpile. */
export interface GameReshuffleStockpile {
  type: 'game_reshuffle_stockpile'
  stockpileSize: number
  payload: Size
}

/** Totals so far; `champions` once somebody has reached the target. */
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
  /** Our extension. */
  reason: 'cambia' | 'stockpile' | 'abandoned'
  /** Our extension: all cards, turned up. */
  hands: Record<string, Card[]>
  /** Our extension: in a circuit. */
  circuit?: CircuitScore
}

export interface GameEnd {
  type: 'game_end'
  payload: Result
}

/** A card by its id; with its face where `known`. */
export interface SeenCard {
  id: string
  known: boolean
  rank?: Rank
  suit?: Suit
  value?: number
}

/** A card in a hand; with its face where `known`. */
export interface HandCard {
  id: string
  idx: number
  known: boolean
  rank?: Rank
  suit?: Suit
  value?: number
}

/** The card in its player's fingers, to be placed. */
export interface DrawnCard {
  id: string
  known: boolean
  rank?: Rank
  suit?: Suit
  value?: number
  /** Our extension: from the discard pile, it fires no ability. */
  source: 'stockpile' | 'discardpile'
}

export interface PlayerState {
  playerId: string
  username: string
  handSize: number
  hasCalledCambia: boolean
  connected: boolean
  isCurrentTurn: boolean
  revealedHand: HandCard[]
  drawnCard?: DrawnCard
  /** Our extension: it has missed too many turns, and the timer plays for it. */
  timerPlays: boolean
  /** Our extension: it has to hand a card over by then (`action_snap_move`). */
  owesCardUntil?: number
  /** Our extension: in a circuit, its total so far. */
  total?: number
}

/** The rules a host may change. Defaults are the protocol's. */
export interface HouseRules {
  /** The top card of the discard pile may be drawn too. */
  allowDrawFromDiscardPile: boolean
  /** A card that is replaced in a hand uses its ability. */
  allowReplaceAbilities: boolean
  /** Only the first right snap counts; later ones are penalised. */
  snapRace: boolean
  /** A player who is disconnected when the game ends has no score. */
  forfeitOnDisconnect: boolean
  /** Blind cards drawn for a wrong snap. */
  penaltyDrawCount: number
  /** Missed turns in a row until the timer plays; 0 is never. */
  autoKickTurnCount: number
  /** Seconds for a decision; 0 turns the timer off. */
  turnTimerSec: number
  /** Others' cards may be snapped; you then hand over one of yours. */
  allowOpponentSnapping: boolean
  /** Calling Cambia locks the caller's hand and ends their snapping. */
  lockCallerHand: boolean
  /** Jokers in each deck. */
  numJokers: number
  /** Cards everybody looks at before the first turn. */
  initialViewCount: number
  /** After reconnecting you see the cards again that you may know. */
  remindKnown: boolean
}

/** An ability waiting for its player. */
export interface SpecialAction {
  active: boolean
  playerId: string | null
  cardRank: Rank | null
  /** Our extension: what its player is to send, or `skip`. */
  special?: SpecialName
  /** Our extension: the two cards of a King's first step. */
  looked?: string[]
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

/**
 * On connect, when the cards are dealt, and when play starts; in the enveloped form also after
 * every change of a hand.
 */
export interface PrivateSyncState {
  type: 'private_sync_state'
  state: GameState
}

/** How the games of a circuit add up. */
export interface CircuitRules {
  /** A total that ends the circuit. */
  targetScore: number
  /** Added to the score of a game's winner. */
  winBonus: number
  /** Added to the score of a caller who is not lowest. */
  falseCambiaPenalty: number
  /** The total of a player gone at a game's end stays as it was. */
  freezeUserOnDisconnect: boolean
}

/** Games in a row with totals, until somebody reaches the target; the lowest total wins. */
export interface Circuit {
  /** Games are added up. */
  enabled: boolean
  /** The kind of circuit, as the lobby names it. */
  mode: '' | 'circuit_4p' | 'circuit_7p8p'
  /** How the games add up. */
  rules: CircuitRules
}

/** Settings of the lobby, which the rules of the game do not use. */
export interface LobbySettings {
  /** The countdown starts by itself when everybody is ready. */
  autoStart: boolean
  /** Seconds of countdown; left out, each transport has its own. */
  countdownSec: number | null
}

export interface LobbyUser {
  id: string
  username: string
  is_host: boolean
  is_ready: boolean
  /** Our extension: whether they have a connection; their place is kept for a while. */
  connected: boolean
  /** Our extension. */
  is_bot: boolean
}

export interface LobbyStatus {
  users: LobbyUser[]
}

/** To clients that connect: the fields of `lobby_state`, and the game's, if one is running. */
export interface SyncState {
  type: 'sync_state'
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
  /** Our extension. */
  name: string
  /** Our extension: six digits that name this lobby as well as its id does. */
  code: string
  /** Our extension. */
  max_players: number
  phase: Phase
  state: GameState | null
}

/** In the enveloped form, to everybody on every change. */
export interface LobbyStateWithPhase {
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
  /** Our extension. */
  name: string
  /** Our extension: six digits that name this lobby as well as its id does. */
  code: string
  /** Our extension. */
  max_players: number
  phase: Phase
}

/** `seconds`: after so many the next phase begins automatically. */
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

/** `scores` by player, without those who forfeit. */
export interface GameResults {
  type: 'game_results'
  winner: string | null
  scores: Record<string, number>
  lobby_status: LobbyStatus
  /** Our extension. */
  winners: string[]
}

/** Something was refused, and nothing has changed; to its sender alone. */
export interface EnvelopedError {
  type: 'error'
  error: string
  code: string
  message: string
}

/** The answer to `ping`. */
export interface Pong {
  type: 'pong'
}

/**
 * Only what is to change: all of it or, if one value is of a wrong type, nothing.
 *
 * A rule we do not have is passed over, because other servers' clients send theirs.
 */
export interface RulesChange {
  houseRules?: Record<string, unknown> | null
  circuit?: Record<string, unknown> | null
  settings?: Record<string, unknown> | null
}

export interface UserRef {
  id: string
}

/**
 * A card by its `id`, or by its owner (`user`; left out: you) and `idx`. If more is said, all of it
 * must be true: a card that is not where it is named is refused, never guessed.
 */
export interface CardRef {
  id?: string
  idx?: number | null
  user?: UserRef | null
}

export type Outgoing =
  | GamePlayerTurn
  | GameTurnTimer
  | PlayerDrawStockpile
  | PrivateDrawStockpile
  | PlayerDiscard
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
  | PrivateInitialCards
  | GameReshuffleStockpile
  | GameEnd
  | PrivateSyncState
  | SyncState
  | LobbyStateWithPhase
  | PhaseChange
  | EnvelopedChat
  | GameStarted
  | GameResults
  | EnvelopedError
  | Pong

/** When all (two or more) are ready, the countdown starts. */
export interface Ready {
  type: 'ready'
}

/** Calls a countdown off. */
export interface Unready {
  type: 'unready'
}

/** Let a user see this lobby in `GET /api/tables`, though it is private. */
export interface Invite {
  type: 'invite'
  userID: string
}

/** Leave the lobby and the seat; the socket is closed. */
export interface LeaveLobby {
  type: 'leave_lobby'
}

/** Say something to everybody here. */
export interface Chat {
  type: 'chat'
  msg: string
}

/** The host's alone. */
export interface UpdateRules {
  type: 'update_rules'
  rules: RulesChange
}

/** The host's alone, once all are ready: at once, without a countdown. */
export interface StartGame {
  type: 'start_game'
}

/** Our extension. The host's alone. */
export interface AddBot {
  type: 'add_bot'
}

/** Our extension. The host's alone: this bot, or the one that came last. */
export interface RemoveBot {
  type: 'remove_bot'
  userID?: string | null
}

/** Protocol: Draw Action. */
export interface DrawStockpile {
  type: 'action_draw_stockpile'
}

/** Protocol: Draw Action; with the house rule `allowDrawFromDiscardPile`. */
export interface DrawDiscardpile {
  type: 'action_draw_discardpile'
}

/** The card just drawn. */
export interface Discard {
  type: 'action_discard'
  card: CardRef
}

/** The card of one's hand that goes; or the drawn card, with the idx where it shall lie. */
export interface Replace {
  type: 'action_replace'
  card: CardRef
}

/** Protocol: Snap Action. */
export interface Snap {
  type: 'action_snap'
  card: CardRef
}

/** Hand this card over for the one you snapped (`allowOpponentSnapping`). */
export interface SnapMove {
  type: 'action_snap_move'
  card: CardRef
}

/** Protocol: Calling Cambia Action. */
export interface Cambia {
  type: 'action_cambia'
}

/** Protocol: Special Card Discard Actions. `card` is taken for a `card1` that is not there. */
export interface Special {
  type: 'action_special'
  special: SpecialSpecial
  card1?: CardRef | null
  card2?: CardRef | null
  card?: CardRef | null
}

/** Answered with `pong`, on any socket. */
export interface Ping {
  type: 'ping'
}

export type Incoming =
  | Ready
  | Unready
  | Invite
  | LeaveLobby
  | Chat
  | UpdateRules
  | StartGame
  | AddBot
  | RemoveBot
  | DrawStockpile
  | DrawDiscardpile
  | Discard
  | Replace
  | Snap
  | SnapMove
  | Cambia
  | Special
  | Ping

const Rank = oneOf('A', '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K', 'O')

const Suit = oneOf('H', 'D', 'C', 'S', 'R', 'B')

const SpecialName = oneOf(
  'peek_self',
  'peek_other',
  'swap_blind',
  'swap_peek',
  'swap_peek_swap',
  'swap_peek_reveal',
  'skip',
)

const Phase = oneOf('open', 'countdown', 'in_game', 'post_game')

const User = struct({
  id: string,
})

const Turn = struct({
  turn: number,
  serverNow: number,
  turnDeadline: or(number, nil),
})

const GamePlayerTurn = struct({
  type: oneOf('game_player_turn'),
  user: User,
  payload: Turn,
})

const Timer = struct({
  serverNow: number,
  turnDeadline: or(number, nil),
})

const GameTurnTimer = struct({
  type: oneOf('game_turn_timer'),
  user: User,
  payload: Timer,
})

const Card = struct({
  id: string,
  rank: maybe(Rank),
  suit: maybe(Suit),
  value: maybe(number),
  idx: maybe(number),
  user: maybe(User),
})

const Drawn = struct({
  source: oneOf('stockpile', 'discardpile'),
  stockpileSize: number,
  discardSize: number,
})

const PlayerDrawStockpile = struct({
  type: oneOf('player_draw_stockpile'),
  user: User,
  card: Card,
  source: oneOf('stockpile', 'discardpile'),
  stockpileSize: number,
  payload: Drawn,
})

const Source = struct({
  source: oneOf('stockpile', 'discardpile'),
})

const PrivateDrawStockpile = struct({
  type: oneOf('private_draw_stockpile'),
  user: User,
  card: Card,
  source: oneOf('stockpile', 'discardpile'),
  payload: Source,
})

const PlayerDiscard = struct({
  type: oneOf('player_discard'),
  user: User,
  card: Card,
  timedOut: maybe(boolean),
})

const PlayerSpecialChoice = struct({
  type: oneOf('player_special_choice'),
  user: User,
  card: Card,
  special: SpecialName,
  payload: Timer,
})

const PlayerSpecialAction = struct({
  type: oneOf('player_special_action'),
  user: User,
  special: SpecialName,
  card: maybe(Card),
  card1: maybe(Card),
  card2: maybe(Card),
  payload: maybe(Timer),
  timedOut: maybe(boolean),
})

const PrivateSpecialActionSuccess = struct({
  type: oneOf('private_special_action_success'),
  user: User,
  special: SpecialName,
  card: maybe(Card),
  card1: maybe(Card),
  card2: maybe(Card),
})

const Retry = struct({
  message: string,
  serverNow: number,
  turnDeadline: or(number, nil),
})

const PrivateSpecialActionFail = struct({
  type: oneOf('private_special_action_fail'),
  user: User,
  special: SpecialName,
  card: maybe(Card),
  card1: Card,
  card2: maybe(Card),
  payload: Retry,
  message: string,
})

const PlayerCambia = struct({
  type: oneOf('player_cambia'),
  user: User,
})

const Debt = struct({
  moveDeadline: number,
})

const PlayerSnapSuccess = struct({
  type: oneOf('player_snap_success'),
  user: User,
  card: Card,
  payload: maybe(Debt),
})

const PlayerSnapFail = struct({
  type: oneOf('player_snap_fail'),
  user: User,
  card: Card,
})

const Penalty = struct({
  count: number,
  total: number,
  stockpileSize: number,
})

const PlayerSnapPenalty = struct({
  type: oneOf('player_snap_penalty'),
  user: User,
  player: User,
  card: Card,
  stockpileSize: number,
  payload: Penalty,
})

const PrivateSnapPenalty = struct({
  type: oneOf('private_snap_penalty'),
  user: User,
  player: User,
  card: Card,
  stockpileSize: number,
  payload: Penalty,
})

const SourceIdx = struct({
  sourceIdx: number,
})

const PlayerSnapMove = struct({
  type: oneOf('player_snap_move'),
  user: User,
  card: Card,
  payload: SourceIdx,
  timedOut: maybe(boolean),
})

const PlayerDisconnect = struct({
  type: oneOf('player_disconnect'),
  user: User,
})

const PlayerReconnect = struct({
  type: oneOf('player_reconnect'),
  user: User,
})

const Active = struct({
  active: boolean,
})

const GameAutoPlay = struct({
  type: oneOf('game_auto_play'),
  user: User,
  payload: Active,
})

const PrivateInitialCards = struct({
  type: oneOf('private_initial_cards'),
  user: User,
  card1: or(Card, nil),
  card2: or(Card, nil),
  cards: list(Card),
})

const Size = struct({
  stockpileSize: number,
})

const GameReshuffleStockpile = struct({
  type: oneOf('game_reshuffle_stockpile'),
  stockpileSize: number,
  payload: Size,
})

const CircuitScore = struct({
  totals: record(number),
  over: boolean,
  champions: list(string),
})

const Result = struct({
  scores: record(number),
  winner: or(string, nil),
  winners: list(string),
  caller: or(string, nil),
  penaltyApplied: boolean,
  winBonusApplied: boolean,
  reason: oneOf('cambia', 'stockpile', 'abandoned'),
  hands: record(list(Card)),
  circuit: maybe(CircuitScore),
})

const GameEnd = struct({
  type: oneOf('game_end'),
  payload: Result,
})

const SeenCard = struct({
  id: string,
  known: boolean,
  rank: maybe(Rank),
  suit: maybe(Suit),
  value: maybe(number),
})

const HandCard = struct({
  id: string,
  idx: number,
  known: boolean,
  rank: maybe(Rank),
  suit: maybe(Suit),
  value: maybe(number),
})

const DrawnCard = struct({
  id: string,
  known: boolean,
  rank: maybe(Rank),
  suit: maybe(Suit),
  value: maybe(number),
  source: oneOf('stockpile', 'discardpile'),
})

const PlayerState = struct({
  playerId: string,
  username: string,
  handSize: number,
  hasCalledCambia: boolean,
  connected: boolean,
  isCurrentTurn: boolean,
  revealedHand: list(HandCard),
  drawnCard: maybe(DrawnCard),
  timerPlays: boolean,
  owesCardUntil: maybe(number),
  total: maybe(number),
})

const HouseRules = struct({
  allowDrawFromDiscardPile: boolean,
  allowReplaceAbilities: boolean,
  snapRace: boolean,
  forfeitOnDisconnect: boolean,
  penaltyDrawCount: number,
  autoKickTurnCount: number,
  turnTimerSec: number,
  allowOpponentSnapping: boolean,
  lockCallerHand: boolean,
  numJokers: number,
  initialViewCount: number,
  remindKnown: boolean,
})

const SpecialAction = struct({
  active: boolean,
  playerId: or(string, nil),
  cardRank: or(Rank, nil),
  special: maybe(SpecialName),
  looked: maybe(list(string)),
})

const GameState = struct({
  gameId: string,
  preGameActive: boolean,
  started: boolean,
  gameOver: boolean,
  currentPlayerId: or(string, nil),
  turnId: number,
  stockpileSize: number,
  discardSize: number,
  discardTop: or(SeenCard, nil),
  players: list(PlayerState),
  cambiaCalled: boolean,
  cambiaCallerId: or(string, nil),
  houseRules: HouseRules,
  turnDeadline: or(number, nil),
  serverNow: number,
  specialAction: SpecialAction,
})

const PrivateSyncState = struct({
  type: oneOf('private_sync_state'),
  state: GameState,
})

const CircuitRules = struct({
  targetScore: number,
  winBonus: number,
  falseCambiaPenalty: number,
  freezeUserOnDisconnect: boolean,
})

const Circuit = struct({
  enabled: boolean,
  mode: oneOf('', 'circuit_4p', 'circuit_7p8p'),
  rules: CircuitRules,
})

const LobbySettings = struct({
  autoStart: boolean,
  countdownSec: or(number, nil),
})

const LobbyUser = struct({
  id: string,
  username: string,
  is_host: boolean,
  is_ready: boolean,
  connected: boolean,
  is_bot: boolean,
})

const LobbyStatus = struct({
  users: list(LobbyUser),
})

const SyncState = struct({
  type: oneOf('sync_state'),
  lobby_id: string,
  host_id: or(string, nil),
  your_id: or(string, nil),
  your_is_host: boolean,
  lobby_type: oneOf('private', 'public', 'matchmaking'),
  game_mode: string,
  in_game: boolean,
  game_id: or(string, nil),
  house_rules: HouseRules,
  circuit: Circuit,
  settings: LobbySettings,
  lobby_status: LobbyStatus,
  name: string,
  code: string,
  max_players: number,
  phase: Phase,
  state: or(GameState, nil),
})

const LobbyStateWithPhase = struct({
  type: oneOf('lobby_state'),
  lobby_id: string,
  host_id: or(string, nil),
  your_id: or(string, nil),
  your_is_host: boolean,
  lobby_type: oneOf('private', 'public', 'matchmaking'),
  game_mode: string,
  in_game: boolean,
  game_id: or(string, nil),
  house_rules: HouseRules,
  circuit: Circuit,
  settings: LobbySettings,
  lobby_status: LobbyStatus,
  name: string,
  code: string,
  max_players: number,
  phase: Phase,
})

const PhaseChange = struct({
  type: oneOf('phase_change'),
  phase: Phase,
  seconds: maybe(number),
})

const EnvelopedChat = struct({
  type: oneOf('chat'),
  userID: string,
  username: string,
  msg: string,
})

const GameStarted = struct({
  type: oneOf('game_started'),
  game_id: string,
  players: list(string),
})

const GameResults = struct({
  type: oneOf('game_results'),
  winner: or(string, nil),
  scores: record(number),
  lobby_status: LobbyStatus,
  winners: list(string),
})

const EnvelopedError = struct({
  type: oneOf('error'),
  error: string,
  code: string,
  message: string,
})

const Pong = struct({
  type: oneOf('pong'),
})

export const Outgoing: Shape<Outgoing> = messages('type', {
  game_player_turn: GamePlayerTurn,
  game_turn_timer: GameTurnTimer,
  player_draw_stockpile: PlayerDrawStockpile,
  private_draw_stockpile: PrivateDrawStockpile,
  player_discard: PlayerDiscard,
  player_special_choice: PlayerSpecialChoice,
  player_special_action: PlayerSpecialAction,
  private_special_action_success: PrivateSpecialActionSuccess,
  private_special_action_fail: PrivateSpecialActionFail,
  player_cambia: PlayerCambia,
  player_snap_success: PlayerSnapSuccess,
  player_snap_fail: PlayerSnapFail,
  player_snap_penalty: PlayerSnapPenalty,
  private_snap_penalty: PrivateSnapPenalty,
  player_snap_move: PlayerSnapMove,
  player_disconnect: PlayerDisconnect,
  player_reconnect: PlayerReconnect,
  game_auto_play: GameAutoPlay,
  private_initial_cards: PrivateInitialCards,
  game_reshuffle_stockpile: GameReshuffleStockpile,
  game_end: GameEnd,
  private_sync_state: PrivateSyncState,
  sync_state: SyncState,
  lobby_state: LobbyStateWithPhase,
  phase_change: PhaseChange,
  chat: EnvelopedChat,
  game_started: GameStarted,
  game_results: GameResults,
  error: EnvelopedError,
  pong: Pong,
})
