/** For tests: tables made of messages. */
import type { Card, LobbyEvent, Message, StateEvent } from './messages'
import { emptyTable, fold, type TableState } from './state'

export const card = (Color: number, Number: number, Effect = 0): Card => ({ Color, Number, Effect })
export const blank = card(4, -1)
export const wild = card(4, -1, 4)

export const welcome = (place: number | null): Message => ({
  type: 'welcome',
  game: 'onu',
  code: '123456',
  place,
  channel: 'lounge',
})

/** Ann (on the page), Ben (over the relay) and a bot. */
export const lobby = (more: Partial<LobbyEvent> = {}): LobbyEvent => ({
  type: 'lobby',
  players: ['Ann', 'Ben', 'Amber'].map((name, place) => ({
    place,
    name,
    human: place < 2,
    present: true,
    ready: false,
    seat: place,
    user: ['page:1', 'ben', 'bot:1'][place] ?? '',
  })),
  host: 0,
  min_seats: 2,
  max_seats: 7,
  settings: { turnTimeout: 60 },
  running: true,
  round: 1,
  starts_at: null,
  ...more,
})

/** Ann holds red 5, wild, blue 2, red skip; a red 7 lies on top; it is Ann's turn. */
export const dealt = (more: Partial<StateEvent> = {}): StateEvent & Message => ({
  type: 'state',
  players: [
    { user: 'page:1', name: 'Ann', cards: [card(1, 5), wild, card(0, 2), card(1, -1, 2)] },
    { user: 'ben', name: 'Ben', cards: [blank, blank] },
    { user: 'bot:1', name: 'Amber', cards: [blank, blank, blank] },
  ],
  deck: 20,
  stack: [card(3, 7), card(1, 7)],
  direction: 1,
  turn: 0,
  effect: 0,
  awaited: true,
  deadline: 60_000,
  over: false,
  winner: null,
  ...more,
})

/** The table as Ann (place 0) knows it after these. */
export const after = (...messages: Message[]): TableState =>
  [welcome(0), lobby(), dealt(), ...messages].reduce(fold, emptyTable)
