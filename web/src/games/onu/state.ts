/**
 * The table as this viewer knows it: a pure fold over the protocol's messages.
 * It trusts the server, checks no rules and sends nothing.
 *
 * The protocol names cards by their place in a hand. Here each gets a number when it is first seen,
 * so that it can be followed from the deck to a hand and from there to the stack.
 */
import { isWild, NO_COLOUR } from './faces'
import type {
  Card,
  DrewEvent,
  LobbyEvent,
  Message,
  PlayedEvent,
  PlayerInfo,
  StateEvent,
} from './messages'

export interface SeatState {
  user: string
  name: string
  /** Card numbers, in the order in which the protocol counts. */
  hand: number[]
}

export interface GameState {
  seats: SeatState[]
  /** By card number; what this viewer may not know is blank. */
  faces: Record<number, Card>
  deck: number
  /** Card numbers; the last lies on top, a wild there with its chosen colour. */
  stack: number[]
  direction: number
  /** The seat whose turn it is. */
  turn: number
  awaited: boolean
  /** On the server's clock, milliseconds since the epoch. */
  deadline: number
  over: boolean
  winner: number | null
  /** The cards that came to a hand last, until their holder's turn is over. */
  drawn: number[]
}

export interface TableState {
  code: string
  channel: string
  /** This viewer's; `null` for a spectator. */
  place: number | null
  lobby: LobbyEvent | null
  game: GameState | null
  /** The result has been put away. */
  seen: boolean
  /** The number that the next new card gets. */
  next: number
}

export const emptyTable: TableState = {
  code: '',
  channel: '',
  place: null,
  lobby: null,
  game: null,
  seen: false,
  next: 0,
}

/** `over` shows a finished game until the next one, or until it was put away. */
export type Phase = 'lobby' | 'game' | 'over'

export function phaseOf({ game, seen }: TableState): Phase {
  if (!game || (game.over && seen)) return 'lobby'
  return game.over ? 'over' : 'game'
}

export function fold(table: TableState, message: Message): TableState {
  switch (message.type) {
    case 'welcome':
      return { ...table, code: message.code, channel: message.channel, place: message.place }
    case 'lobby':
      return { ...table, lobby: message }
    case 'dealt':
      return begin(table, message, false)
    case 'state':
      return begin(table, message, message.over && (table.seen || !isForMe(table, message)))
    default:
      return table.game ? inGame(table, table.game, message) : table
  }
}

/** The visitor has seen the result and goes back to the lobby. */
export const putAway = (table: TableState): TableState => ({ ...table, seen: true })

/** A new player is not shown the end of a game they did not play in. */
const isForMe = (table: TableState, { players }: StateEvent): boolean => {
  const me = playerAt(table, table.place)
  return !me || players.some(({ user }) => user === me.user)
}

function begin(table: TableState, told: Omit<StateEvent, 'type'>, seen: boolean): TableState {
  let next = table.next
  const faces: Record<number, Card> = {}
  const add = (card: Card): number => {
    faces[next] = card
    return next++
  }
  const game: GameState = {
    seats: told.players.map(({ user, name, cards }) => ({ user, name, hand: cards.map(add) })),
    faces,
    deck: told.deck,
    stack: told.stack.map(add),
    direction: told.direction,
    turn: told.turn,
    awaited: told.awaited,
    deadline: told.deadline,
    over: told.over,
    winner: told.winner,
    drawn: [],
  }
  return { ...table, game, seen, next }
}

function inGame(table: TableState, game: GameState, message: Message): TableState {
  switch (message.type) {
    case 'played':
      return { ...table, game: played(game, message) }
    case 'drew':
      return drew(table, game, message)
    case 'reshuffled': {
      const stack = game.stack.slice(-1)
      return { ...table, game: { ...game, stack, deck: message.deck } }
    }
    case 'passed':
    case 'fumbled':
      return { ...table, game: { ...game, awaited: false } }
    case 'prompted': {
      const { seat: turn, deadline, first } = message
      // What the card before made them draw came before the prompt and is still new.
      const drawn = first && turn !== holderOf(game, game.drawn) ? [] : game.drawn
      return { ...table, game: { ...game, turn, deadline, awaited: true, drawn } }
    }
    case 'ended':
      return { ...table, game: { ...game, awaited: false, over: true, winner: message.winner } }
    default:
      return table
  }
}

function played(game: GameState, { seat, index, card, color, direction }: PlayedEvent): GameState {
  const id = game.seats[seat]?.hand[index]
  if (id === undefined) return game
  const faces = { ...game.faces, [id]: { ...card, Color: color } }
  const under = game.stack.at(-1)
  const buried = under === undefined ? undefined : faces[under]
  // Below another card a wild is a wild again.
  if (under !== undefined && buried && isWild(buried))
    faces[under] = { ...buried, Color: NO_COLOUR }
  return {
    ...game,
    faces,
    seats: game.seats.map((one, at) =>
      at === seat ? { ...one, hand: one.hand.toSpliced(index, 1) } : one,
    ),
    stack: [...game.stack, id],
    direction,
    awaited: false,
    drawn: [],
  }
}

function drew(table: TableState, game: GameState, { seat, cards }: DrewEvent): TableState {
  const ids = cards.map((_, at) => table.next + at)
  const faces = { ...game.faces }
  cards.forEach((card, at) => (faces[table.next + at] = card))
  const seats = game.seats.map((one, at) =>
    at === seat ? { ...one, hand: [...one.hand, ...ids] } : one,
  )
  const drawn = holderOf(game, game.drawn) === seat ? [...game.drawn, ...ids] : ids
  const deck = Math.max(0, game.deck - cards.length)
  return {
    ...table,
    next: table.next + cards.length,
    game: { ...game, faces, seats, deck, awaited: false, drawn },
  }
}

const holderOf = (game: GameState, [card]: readonly number[]): number =>
  card === undefined ? -1 : game.seats.findIndex(({ hand }) => hand.includes(card))

// What is read off it

export const playerAt = (table: TableState, place: number | null): PlayerInfo | undefined =>
  table.lobby?.players.find((player) => player.place === place)

export const playerCalled = (table: TableState, user: string): PlayerInfo | undefined =>
  table.lobby?.players.find((player) => player.user === user)

/** This viewer's seat in the game; -1: they are not in it. */
export function mySeat(table: TableState): number {
  const me = playerAt(table, table.place)
  return me ? (table.game?.seats.findIndex(({ user }) => user === me.user) ?? -1) : -1
}

export function nameOf(table: TableState, seat: number | null): string {
  const one = seat === null ? undefined : table.game?.seats[seat]
  // Somebody may have been renamed since.
  return one ? (playerCalled(table, one.user)?.name ?? one.name) : 'Nobody'
}

/** The seat where somebody at this place sits in the game; -1: they are not in it. */
export function seatAt(table: TableState, place: number): number {
  const user = playerAt(table, place)?.user
  return table.game?.seats.findIndex((seat) => seat.user === user) ?? -1
}

export const topOf = (game: GameState): Card =>
  game.faces[game.stack.at(-1) ?? -1] ?? { Color: NO_COLOUR, Number: -1, Effect: 0 }

export const isMine = (table: TableState): boolean =>
  table.game !== null && !table.game.over && table.game.awaited && table.game.turn === mySeat(table)

/** Whose turn comes after this one, if nothing happens. */
export function nextSeat({ seats, turn, direction }: GameState): number {
  return (turn + direction + seats.length) % seats.length
}

/** With nothing left in the deck and nothing under the top of the stack, drawing passes. */
export const nothingToDraw = ({ deck, stack }: GameState): boolean =>
  deck === 0 && stack.length <= 1
