/** ONU: the messages, as they go over the wire.
 *
 * Made by `make types` from the server's own; change them there. */

import {
  boolean,
  list,
  messages,
  nil,
  number,
  oneOf,
  or,
  record,
  string,
  struct,
  unknown,
  type Shape,
} from '../lib/shapes'

/** The first message: where you are. What follows tells you all you may know. */
export interface WelcomeEvent {
  type: 'welcome'
  game: string
  /** For others to join: `?table=` this. */
  code: string
  /** Yours; null: you are watching. */
  place: number | null
  /** The relay's channel in which this table is played. */
  channel: string
}

/** Somebody at the table. */
export interface PlayerInfo {
  /** Their number at this table, never given to anybody else. */
  place: number
  name: string
  human: boolean
  /** False while they are disconnected. */
  present: boolean
  ready: boolean
  /** Their seat in the match under way: what the game's own messages call `seat`. */
  seat: number | null
  /** Their user name on the relay; with a colon in it for people on the page and bots. */
  user: string
}

/** The people here, and how this table plays: whole, whenever anything about it changes. */
export interface LobbyEvent {
  type: 'lobby'
  players: PlayerInfo[]
  /** The place of the player who opened the table or, of those who are here, came first. */
  host: number | null
  min_seats: number
  max_seats: number
  /** All of them but secret ones. */
  settings: Record<string, unknown>
  /** Whether a match is under way. */
  running: boolean
  /** How many have begun here. */
  round: number
  /** When the countdown ends, if one runs; milliseconds since the epoch. */
  starts_at: number | null
}

/** The document's card. Blank (4, -1, 0) where the reader may not know it. */
export interface Card {
  /** 0 blue, 1 red, 2 yellow, 3 green, 4 none: a wild that has not been played, or a blank. */
  Color: number
  /** -1 on effect cards and blanks. */
  Number: number
  /** 0 none, 1 reverse, 2 skip, 3 pick two, 4 wild, 5 wild pick four. */
  Effect: number
}

/** Somebody in a game. */
export interface SeatInfo {
  user: string
  name: string
  /** Your own are true, in the order in which `index` counts. */
  cards: Card[]
}

/** The whole game: for clients that connect while it is running, or just over. */
export interface StateEvent {
  type: 'state'
  /** By seat. */
  players: SeatInfo[]
  /** How many cards can be drawn. */
  deck: number
  /** The last is on top; a wild there has the colour chosen for it. */
  stack: Card[]
  /** 1 is "Right", -1 "Left". */
  direction: number
  /** The seat whose turn it is. */
  turn: number
  /** `TurnEffect`: of the card just played, at a turn's first prompt. */
  effect: number
  /** Whether they are asked for a move. */
  awaited: boolean
  /** Until when; milliseconds since the epoch. */
  deadline: number
  over: boolean
  winner: number | null
}

/** A game begins: all of it, as in `state`. */
export interface DealtEvent {
  type: 'dealt'
  /** By seat. */
  players: SeatInfo[]
  /** How many cards can be drawn. */
  deck: number
  /** The last is on top; a wild there has the colour chosen for it. */
  stack: Card[]
  /** 1 is "Right", -1 "Left". */
  direction: number
  /** The seat whose turn it is. */
  turn: number
  /** `TurnEffect`: of the card just played, at a turn's first prompt. */
  effect: number
  /** Whether they are asked for a move. */
  awaited: boolean
  /** Until when; milliseconds since the epoch. */
  deadline: number
  over: boolean
  winner: number | null
}

/** A card left its place in a hand for the stack. */
export interface PlayedEvent {
  type: 'played'
  seat: number
  index: number
  card: Card
  /** Now in force; for a wild, the colour chosen. */
  color: number
  direction: number
}

export interface SkippedEvent {
  type: 'skipped'
  seat: number
}

/** Cards came to the end of a hand; `why` is asked-for, forced, timeout or mistakes. */
export interface DrewEvent {
  type: 'drew'
  seat: number
  cards: Card[]
  why: string
}

/** The stack below its top is the deck again. */
export interface ReshuffledEvent {
  type: 'reshuffled'
  deck: number
}

/** A turn ended without a card; `why` is limit, nothing-to-draw, timeout or mistakes. */
export interface PassedEvent {
  type: 'passed'
  seat: number
  why: string
}

/** A seat is asked for a move. */
export interface PromptedEvent {
  type: 'prompted'
  seat: number
  effect: number
  /** A turn begins with it. */
  first: boolean
  deadline: number
}

/** An answer that can't be, the turn's `times`-th; a prompt follows at `again_at`. */
export interface FumbledEvent {
  type: 'fumbled'
  seat: number
  times: number
  again_at: number
}

/** The game is over; without a winner it was given up. */
export interface EndedEvent {
  type: 'ended'
  winner: number | null
  how: string
}

/** Somebody said something. */
export interface SaidEvent {
  type: 'said'
  place: number
  name: string
  text: string
  at: number
}

/** Your request was refused, and nothing has changed. To you alone. */
export interface ErrorEvent {
  type: 'error'
  code: string
  message: string
}

export type Outgoing =
  | WelcomeEvent
  | LobbyEvent
  | StateEvent
  | DealtEvent
  | PlayedEvent
  | SkippedEvent
  | DrewEvent
  | ReshuffledEvent
  | PassedEvent
  | PromptedEvent
  | FumbledEvent
  | EndedEvent
  | SaidEvent
  | ErrorEvent

/** Play the card at `index` of your hand; for a wild, choose a colour from 0 to 3. */
export interface PlayAction {
  type: 'play'
  index: number
  color?: number
}

/** Draw a card; with nothing to draw, pass. */
export interface DrawAction {
  type: 'draw'
}

/** Be called so. */
export interface NameAction {
  type: 'name'
  name: string
}

/** Let a computer player sit down. */
export interface AddBotAction {
  type: 'add_bot'
}

/** Send a computer player away; without a place, the one that came last. */
export interface RemoveBotAction {
  type: 'remove_bot'
  place?: number | null
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

/** Say something to everybody at the table. */
export interface SayAction {
  type: 'say'
  text: string
}

/** Remove somebody from the table, if you may; with `ban` they can't come back. */
export interface KickAction {
  type: 'kick'
  place: number
  ban?: boolean
}

/** Play along from now on, if you were watching and there is room. */
export interface SitDownAction {
  type: 'sit_down'
}

/** Leave the table and your seat. The connection is closed. */
export interface LeaveAction {
  type: 'leave'
}

export type Incoming =
  | PlayAction
  | DrawAction
  | NameAction
  | AddBotAction
  | RemoveBotAction
  | SettingsAction
  | StartAction
  | SayAction
  | KickAction
  | SitDownAction
  | LeaveAction

const WelcomeEvent = struct({
  type: oneOf('welcome'),
  game: string,
  code: string,
  place: or(number, nil),
  channel: string,
})

const PlayerInfo = struct({
  place: number,
  name: string,
  human: boolean,
  present: boolean,
  ready: boolean,
  seat: or(number, nil),
  user: string,
})

const LobbyEvent = struct({
  type: oneOf('lobby'),
  players: list(PlayerInfo),
  host: or(number, nil),
  min_seats: number,
  max_seats: number,
  settings: record(unknown),
  running: boolean,
  round: number,
  starts_at: or(number, nil),
})

const Card = struct({
  Color: number,
  Number: number,
  Effect: number,
})

const SeatInfo = struct({
  user: string,
  name: string,
  cards: list(Card),
})

const StateEvent = struct({
  type: oneOf('state'),
  players: list(SeatInfo),
  deck: number,
  stack: list(Card),
  direction: number,
  turn: number,
  effect: number,
  awaited: boolean,
  deadline: number,
  over: boolean,
  winner: or(number, nil),
})

const DealtEvent = struct({
  type: oneOf('dealt'),
  players: list(SeatInfo),
  deck: number,
  stack: list(Card),
  direction: number,
  turn: number,
  effect: number,
  awaited: boolean,
  deadline: number,
  over: boolean,
  winner: or(number, nil),
})

const PlayedEvent = struct({
  type: oneOf('played'),
  seat: number,
  index: number,
  card: Card,
  color: number,
  direction: number,
})

const SkippedEvent = struct({
  type: oneOf('skipped'),
  seat: number,
})

const DrewEvent = struct({
  type: oneOf('drew'),
  seat: number,
  cards: list(Card),
  why: string,
})

const ReshuffledEvent = struct({
  type: oneOf('reshuffled'),
  deck: number,
})

const PassedEvent = struct({
  type: oneOf('passed'),
  seat: number,
  why: string,
})

const PromptedEvent = struct({
  type: oneOf('prompted'),
  seat: number,
  effect: number,
  first: boolean,
  deadline: number,
})

const FumbledEvent = struct({
  type: oneOf('fumbled'),
  seat: number,
  times: number,
  again_at: number,
})

const EndedEvent = struct({
  type: oneOf('ended'),
  winner: or(number, nil),
  how: string,
})

const SaidEvent = struct({
  type: oneOf('said'),
  place: number,
  name: string,
  text: string,
  at: number,
})

const ErrorEvent = struct({
  type: oneOf('error'),
  code: string,
  message: string,
})

export const Outgoing: Shape<Outgoing> = messages('type', {
  welcome: WelcomeEvent,
  lobby: LobbyEvent,
  state: StateEvent,
  dealt: DealtEvent,
  played: PlayedEvent,
  skipped: SkippedEvent,
  drew: DrewEvent,
  reshuffled: ReshuffledEvent,
  passed: PassedEvent,
  prompted: PromptedEvent,
  fumbled: FumbledEvent,
  ended: EndedEvent,
  said: SaidEvent,
  error: ErrorEvent,
})
