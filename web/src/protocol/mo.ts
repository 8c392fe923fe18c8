/** MO: the messages, as they go over the wire.
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
  type Shape,
} from '../lib/shapes'

export type Rank =
  'joker' | 'A' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | '10' | 'J' | 'Q' | 'K'

export type Suit = 'hearts' | 'diamonds' | 'clubs' | 'spades' | 'joker'

export type Profile = 'classic' | 'printed'

/** A card of the grid. A defeated royal and its armour lie face down. */
export interface Card {
  rank: Rank
  suit: Suit
  value: number
  face_up: boolean
}

/** The draw pile: how many cards it has, and its revealed top. */
export interface DrawPile {
  count: number
  top: Card | null
}

/** A lane, and what it lacks to defeat its royal. */
export interface LaneInfo {
  /** The royal's outer pile. */
  pile: string
  near: string
  middle: string
  far: string
  /** The royal's value and its armour together. */
  health: number
  /** Which cards count against it: `any`, a colour, or a suit. */
  suits: string
  /** How much the tops of near and middle that count are short of `health`. */
  missing: number
  /** Which of the two do not count. */
  wrong: string[]
  /** A card on the far pile defeats the royal now. */
  ready: boolean
  /** All that in a few words for people: "needs 3 more, hearts". */
  needs: string
}

/** Everything that lies there, after every change. */
export interface BoardMessage {
  type: 'board'
  /** By name, top card first; `e5` is the draw pile. */
  piles: Record<string, Card[] | DrawPile>
  valid: string[]
  can_undo: boolean
  can_redo: boolean
  status: 'playing' | 'won' | 'lost'
  /** How it ended, or "": `won`, `out-of-cards`, `no-place`, `too-strong`, `repeated`. */
  reason: string
  seed: string
  profile: Profile
  defeated: string[]
  moves: number
  lanes: LaneInfo[]
  /** Why it can't be won any more, or "". Shown, not enforced. */
  hopeless: string
}

/** Where to play the next card, and why. */
export interface HintMessage {
  type: 'hint'
  to: string
  why: string
}

/** The cards of an inner pile, top first. */
export interface PileMessage {
  type: 'pile'
  pile: string
  cards: Card[]
}

/** Your request was refused, and nothing has changed. To you alone. */
export interface ErrorEvent {
  type: 'error'
  code: string
  message: string
}

export type Outgoing = BoardMessage | HintMessage | PileMessage | ErrorEvent

/** Deal anew: this seed or a fresh one, this profile or the one in play. */
export interface New {
  type: 'new'
  seed?: string | null
  profile?: Profile | null
}

/** Play the top of the draw pile to this pile. */
export interface Play {
  type: 'play'
  to: string
  /** The `moves` of the board it is meant for: refused (`stale`) if that is another by now. */
  moves?: number | null
}

/** Take the last move back. */
export interface Undo {
  type: 'undo'
}

/** Do again what was taken back. */
export interface Redo {
  type: 'redo'
}

/** Ask where to play. */
export interface Hint {
  type: 'hint'
}

/** Look through an inner pile. */
export interface Peek {
  type: 'peek'
  pile: string
}

export type Incoming = New | Play | Undo | Redo | Hint | Peek

const Rank = oneOf('joker', 'A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K')

const Suit = oneOf('hearts', 'diamonds', 'clubs', 'spades', 'joker')

const Profile = oneOf('classic', 'printed')

const Card = struct({
  rank: Rank,
  suit: Suit,
  value: number,
  face_up: boolean,
})

const DrawPile = struct({
  count: number,
  top: or(Card, nil),
})

const LaneInfo = struct({
  pile: string,
  near: string,
  middle: string,
  far: string,
  health: number,
  suits: string,
  missing: number,
  wrong: list(string),
  ready: boolean,
  needs: string,
})

const BoardMessage = struct({
  type: oneOf('board'),
  piles: record(or(list(Card), DrawPile)),
  valid: list(string),
  can_undo: boolean,
  can_redo: boolean,
  status: oneOf('playing', 'won', 'lost'),
  reason: string,
  seed: string,
  profile: Profile,
  defeated: list(string),
  moves: number,
  lanes: list(LaneInfo),
  hopeless: string,
})

const HintMessage = struct({
  type: oneOf('hint'),
  to: string,
  why: string,
})

const PileMessage = struct({
  type: oneOf('pile'),
  pile: string,
  cards: list(Card),
})

const ErrorEvent = struct({
  type: oneOf('error'),
  code: string,
  message: string,
})

export const Outgoing: Shape<Outgoing> = messages('type', {
  board: BoardMessage,
  hint: HintMessage,
  pile: PileMessage,
  error: ErrorEvent,
})
