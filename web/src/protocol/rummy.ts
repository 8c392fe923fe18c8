/** Super Rummy: the messages, as they go over the wire.
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

export type Suit = 'hearts' | 'diamonds' | 'clubs' | 'spades' | 'joker'

export type Rank =
  'A' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | '10' | 'J' | 'Q' | 'K' | 'W'

export type Destination = ToPlayer | ToMeld | ToDiscard

/** Somebody at the table. */
export interface PlayerInfo {
  name: string
  id: string
  human: boolean
}

/** How this table plays. Spec, Rules: `settings` always carries all twelve keys. */
export interface Settings {
  /** How many decks of 52 cards are shuffled together. */
  deck_count: 1 | 2 | 4
  /** Two jokers per deck, wild anywhere in a meld. */
  enable_jokers: boolean
  /** Cards dealt to each; 0 deals ten to two players and seven to more. */
  hand_size: 0 | 7 | 8 | 9 | 10 | 11 | 12
  /** The player who begins every round after the first. */
  first_turn: 'next_player' | 'prev_winner' | 'random'
  /** Players see the deck's top card before they choose between it and the discard. */
  allow_draw_choice: boolean
  /** A run may be of several suits. */
  allow_run_mixed_suit: boolean
  /** A set may hold the same suit twice. */
  allow_set_duplicate_suit: boolean
  /**
   * The most cards a meld may hold, lays included. With three, deal nine or twelve: of seven or ten
   * cards one is always left over, and nobody can go out.
   */
  limit_meld_size: 3 | 4 | null
  /** Whether the ace stands below the two (1 point) or above the king (11). */
  ace_rank: 'low' | 'high'
  /** The rule for a deck that has run out at the end of a turn. */
  deck_exhaust: 'flip_discard' | 'shuffle_discard' | 'end_round'
  /** The last card of a hand must be discarded, not melded or laid. */
  require_end_discard: boolean
  /** Losers lay off what fits on the table before hands are counted. */
  lay_at_end: boolean
}

/** §Game and Lobby Setup: who is here, and the code to join them. */
export interface Lobby {
  players: PlayerInfo[]
  current_player_id: string
  code: string
  settings: Settings
}

/** §Game and Lobby Setup. Between rounds, at every change, to every member. */
export interface LobbyEvent {
  type: 'lobby'
  lobby: Lobby
  /** Our extension: true for somebody who only watches. */
  spectator?: boolean
}

/** §Starting the game. Everybody's hand is empty; all cards are in the deck. */
export interface StartEvent {
  type: 'start'
  players: PlayerInfo[]
  current_player_id: string
  /** Bottom to top. */
  card_ids: string[]
  game_code: string
  settings: Settings
  /** Our extension: true for somebody who only watches. */
  spectator?: boolean
}

/** The face of a card. */
export interface Face {
  suit: Suit
  rank: Rank
}

/** A card by its id; `face` is null when the viewer may not see it. */
export interface Card {
  id: string
  face: Face | null
}

/** Into a hand; position 0 is its left end. */
export interface ToPlayer {
  type: 'player'
  player_id: string
  position: number
}

/** Onto the table; meld 0 was laid first. */
export interface ToMeld {
  type: 'meld'
  meld_number: number
  position: number
}

/** Onto the discard pile. */
export interface ToDiscard {
  type: 'discard'
}

/** §Dealing and Moving Cards. `cards` is always a list, `face` always there. */
export interface MoveEvent {
  type: 'move'
  cards: Card[]
  destination: Destination
}

/** §Turns. */
export interface TurnEvent {
  type: 'turn'
  player_id: string
  state: 'draw' | 'play'
  /** Our extension, with `allow_draw_choice`: the deck's top card, for the player in turn. */
  deck_card?: Card
}

/** §Exhausted Decks. Bottom to top. */
export interface RedeckEvent {
  type: 'redeck'
  new_card_ids: string[]
}

/** §Ending the Round. Doubled already, where the winner went rummy. */
export interface EndEvent {
  type: 'end'
  winner_id: string | null
  hand_values: Record<string, number>
}

/** Your request was refused, and nothing has changed. To you alone. */
export interface ErrorEvent {
  type: 'error'
  code: string
  message: string
}

export type Event =
  LobbyEvent | StartEvent | MoveEvent | TurnEvent | RedeckEvent | EndEvent | ErrorEvent

/** §Game and Lobby Setup. The code may come with spaces. */
export interface JoinAction {
  type: 'join'
  code: string
}

/** §Game and Lobby Setup. */
export interface AiAction {
  type: 'ai'
  action: 'add' | 'remove'
}

/** Be called so. */
export interface NameAction {
  type: 'name'
  name: string
}

/** Change these settings; all of them, or none. */
export interface SettingsAction {
  type: 'settings'
  settings: Record<string, unknown>
}

/** Begin a match. */
export interface StartAction {
  type: 'start'
}

/** §Gameplay Actions. The top card of the deck or of the discard pile. */
export interface DrawAction {
  type: 'draw'
  card_id: string
}

/** §Gameplay Actions. */
export interface MeldAction {
  type: 'meld'
  card_ids: string[]
}

/** §Gameplay Actions. One card by `card_id`, or several by `card_ids`. */
export interface LayAction {
  type: 'lay'
  meld_number: number
  card_id?: string
  card_ids?: string[]
}

/** §Gameplay Actions. */
export interface DiscardAction {
  type: 'discard'
  card_id: string
}

/** The answer to a `ping`; taken and forgotten. */
export interface PongAction {
  type: 'pong'
}

export type Action =
  | JoinAction
  | AiAction
  | NameAction
  | SettingsAction
  | StartAction
  | DrawAction
  | MeldAction
  | LayAction
  | DiscardAction
  | PongAction

const Suit = oneOf('hearts', 'diamonds', 'clubs', 'spades', 'joker')

const Rank = oneOf('A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K', 'W')

const PlayerInfo = struct({
  name: string,
  id: string,
  human: boolean,
})

const Settings = struct({
  deck_count: oneOf(1, 2, 4),
  enable_jokers: boolean,
  hand_size: oneOf(0, 7, 8, 9, 10, 11, 12),
  first_turn: oneOf('next_player', 'prev_winner', 'random'),
  allow_draw_choice: boolean,
  allow_run_mixed_suit: boolean,
  allow_set_duplicate_suit: boolean,
  limit_meld_size: or(oneOf(3, 4), nil),
  ace_rank: oneOf('low', 'high'),
  deck_exhaust: oneOf('flip_discard', 'shuffle_discard', 'end_round'),
  require_end_discard: boolean,
  lay_at_end: boolean,
})

const Lobby = struct({
  players: list(PlayerInfo),
  current_player_id: string,
  code: string,
  settings: Settings,
})

const LobbyEvent = struct({
  type: oneOf('lobby'),
  lobby: Lobby,
  spectator: maybe(boolean),
})

const StartEvent = struct({
  type: oneOf('start'),
  players: list(PlayerInfo),
  current_player_id: string,
  card_ids: list(string),
  game_code: string,
  settings: Settings,
  spectator: maybe(boolean),
})

const Face = struct({
  suit: Suit,
  rank: Rank,
})

const Card = struct({
  id: string,
  face: or(Face, nil),
})

const ToPlayer = struct({
  type: oneOf('player'),
  player_id: string,
  position: number,
})

const ToMeld = struct({
  type: oneOf('meld'),
  meld_number: number,
  position: number,
})

const ToDiscard = struct({
  type: oneOf('discard'),
})

const MoveEvent = struct({
  type: oneOf('move'),
  cards: list(Card),
  destination: or(ToPlayer, ToMeld, ToDiscard),
})

const TurnEvent = struct({
  type: oneOf('turn'),
  player_id: string,
  state: oneOf('draw', 'play'),
  deck_card: maybe(Card),
})

const RedeckEvent = struct({
  type: oneOf('redeck'),
  new_card_ids: list(string),
})

const EndEvent = struct({
  type: oneOf('end'),
  winner_id: or(string, nil),
  hand_values: record(number),
})

const ErrorEvent = struct({
  type: oneOf('error'),
  code: string,
  message: string,
})

export const Event: Shape<Event> = messages('type', {
  lobby: LobbyEvent,
  start: StartEvent,
  move: MoveEvent,
  turn: TurnEvent,
  redeck: RedeckEvent,
  end: EndEvent,
  error: ErrorEvent,
})
