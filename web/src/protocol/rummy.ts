/** Super Rummy's messages, as they go over the wire. */

export type Suit = 'hearts' | 'diamonds' | 'clubs' | 'spades' | 'joker'
export type Rank =
  'A' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | '10' | 'J' | 'Q' | 'K' | 'W'

export interface Face {
  suit: Suit
  rank: Rank
}

export interface Card {
  id: string
  /** `null` where this viewer may not see it. */
  face: Face | null
}

export interface PlayerInfo {
  name: string
  id: string
  human: boolean
}

export interface Settings {
  deck_count: 1 | 2 | 4
  enable_jokers: boolean
  hand_size: number
  first_turn: 'next_player' | 'prev_winner' | 'random'
  allow_draw_choice: boolean
  allow_run_mixed_suit: boolean
  allow_set_duplicate_suit: boolean
  limit_meld_size: 3 | 4 | null
  ace_rank: 'low' | 'high'
  deck_exhaust: 'flip_discard' | 'shuffle_discard' | 'end_round'
  require_end_discard: boolean
  lay_at_end: boolean
}

export interface Lobby {
  players: PlayerInfo[]
  current_player_id: string
  code: string
  settings: Settings
}

export interface ToPlayer {
  type: 'player'
  player_id: string
  position: number
}

export interface ToMeld {
  type: 'meld'
  meld_number: number
  position: number
}

export interface ToDiscard {
  type: 'discard'
}

export type Destination = ToPlayer | ToMeld | ToDiscard

export interface LobbyEvent {
  type: 'lobby'
  lobby: Lobby
  /** Only looking on. */
  spectator?: boolean
}

export interface StartEvent {
  type: 'start'
  players: PlayerInfo[]
  current_player_id: string
  /** Bottom to top. */
  card_ids: string[]
  game_code: string
  settings: Settings
  /** Only looking on. */
  spectator?: boolean
}

export interface MoveEvent {
  type: 'move'
  cards: Card[]
  destination: Destination
}

export interface TurnEvent {
  type: 'turn'
  player_id: string
  state: 'draw' | 'play'
  /** With `allow_draw_choice`, to whoever is to draw: the deck's top card, seen before choosing. */
  deck_card?: Card
}

export interface RedeckEvent {
  type: 'redeck'
  /** Bottom to top. */
  new_card_ids: string[]
}

export interface EndEvent {
  type: 'end'
  winner_id: string | null
  hand_values: Record<string, number>
}

export interface ErrorEvent {
  type: 'error'
  code: string
  message: string
}

export interface PingEvent {
  type: 'ping'
}

export type Event =
  LobbyEvent | StartEvent | MoveEvent | TurnEvent | RedeckEvent | EndEvent | ErrorEvent | PingEvent

export interface JoinAction {
  type: 'join'
  code: string
}

export interface NameAction {
  type: 'name'
  name: string
}

export interface AiAction {
  type: 'ai'
  action: 'add' | 'remove'
}

export interface SettingsAction {
  type: 'settings'
  /** Some or all of the twelve. */
  settings: Partial<Settings>
}

export interface StartAction {
  type: 'start'
}

export interface DrawAction {
  type: 'draw'
  card_id: string
}

export interface MeldAction {
  type: 'meld'
  card_ids: string[]
}

export interface LayAction {
  type: 'lay'
  meld_number: number
  card_id?: string
  card_ids?: string[]
}

export interface DiscardAction {
  type: 'discard'
  card_id: string
}

export interface PongAction {
  type: 'pong'
}

export type Action =
  | JoinAction
  | NameAction
  | AiAction
  | SettingsAction
  | StartAction
  | DrawAction
  | MeldAction
  | LayAction
  | DiscardAction
  | PongAction
