/** The plain protocol: the messages, as they go over the wire.
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
}

/** The people here and the table's settings; sent whole whenever any of it changes. */
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

/** A match begins. The game's own messages from here on, put together, are its state. */
export interface MatchEvent {
  type: 'match'
  round: number
}

/** The match is over. */
export interface ResultEvent {
  type: 'result'
  /** Seats; empty when nobody won. */
  winners: number[]
  how: string
  /** By seat, in the game's own points. */
  scores: Record<string, number>
  /** After so many milliseconds the next match begins automatically; null: it does not. */
  next_in: number | null
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

export type Event = WelcomeEvent | LobbyEvent | MatchEvent | ResultEvent | SaidEvent | ErrorEvent

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

/** Say that you are ready, or not any more, where the game starts by that. */
export interface ReadyAction {
  type: 'ready'
  ready?: boolean
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

export type Action =
  | NameAction
  | AddBotAction
  | RemoveBotAction
  | SettingsAction
  | ReadyAction
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
})

const PlayerInfo = struct({
  place: number,
  name: string,
  human: boolean,
  present: boolean,
  ready: boolean,
  seat: or(number, nil),
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

const MatchEvent = struct({
  type: oneOf('match'),
  round: number,
})

const ResultEvent = struct({
  type: oneOf('result'),
  winners: list(number),
  how: string,
  scores: record(number),
  next_in: or(number, nil),
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

export const Event: Shape<Event> = messages('type', {
  welcome: WelcomeEvent,
  lobby: LobbyEvent,
  match: MatchEvent,
  result: ResultEvent,
  said: SaidEvent,
  error: ErrorEvent,
})
