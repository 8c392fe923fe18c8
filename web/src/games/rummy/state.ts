/**
 * The table as this viewer knows it: a pure fold over the protocol's events.
 * It trusts the server, checks no rules and sends nothing.
 */
import type {
  EndEvent,
  Event,
  Face,
  LobbyEvent,
  MoveEvent,
  PlayerInfo,
  RedeckEvent,
  Settings,
  StartEvent,
  TurnEvent,
} from '../../protocol/rummy'

/** `waiting` until the first event; `over` shows a finished round until the next or the lobby. */
export type Phase = 'waiting' | 'lobby' | 'round' | 'over'

export interface Turn {
  player: string
  step: 'draw' | 'play'
}

export interface TableState {
  phase: Phase
  /** This viewer's player id; `null` for a spectator. */
  me: string | null
  players: PlayerInfo[]
  code: string
  settings: Settings | null
  /** Stacks of card ids, bottom to top. */
  deck: string[]
  discard: string[]
  /** By player id, left to right. */
  hands: Record<string, string[]>
  melds: string[][]
  /** What this viewer has seen; a card not in here lies face down. */
  faces: Record<string, Face>
  turn: Turn | null
  /** The card drawn this turn, from either pile. */
  drawn: string | null
  /** The card taken from the discard pile this turn: it may not go straight back. */
  taken: string | null
  result: EndEvent | null
}

export const emptyTable: TableState = {
  phase: 'waiting',
  me: null,
  players: [],
  code: '',
  settings: null,
  deck: [],
  discard: [],
  hands: {},
  melds: [],
  faces: {},
  turn: null,
  drawn: null,
  taken: null,
  result: null,
}

export function fold(table: TableState, event: Event): TableState {
  switch (event.type) {
    case 'lobby':
      return lobby(table, event)
    case 'start':
      return start(event)
    case 'move':
      return move(table, event)
    case 'turn':
      return turn(table, event)
    case 'redeck':
      return redeck(table, event)
    case 'end':
      return end(table, event)
    default:
      return table
  }
}

/** The visitor has seen the result and goes back to the lobby. */
export function leaveRound(table: TableState): TableState {
  return table.phase === 'over' ? { ...table, phase: 'lobby' } : table
}

/** The id a draw from the deck must name. */
export const topOf = (stack: readonly string[]): string | undefined => stack[stack.length - 1]

export const nameOf = (table: TableState, id: string | null): string =>
  table.players.find((player) => player.id === id)?.name ?? 'Somebody'

export const isMine = (table: TableState): boolean =>
  table.phase === 'round' && table.me !== null && table.turn?.player === table.me

function seatOf(players: PlayerInfo[], id: string | null | undefined): string | null {
  return players.some((player) => player.id === id) ? (id ?? null) : null
}

function lobby(table: TableState, { lobby, spectator }: LobbyEvent): TableState {
  return {
    ...table,
    // The lobby that follows an `end` must not wipe the result off the table.
    phase: table.phase === 'over' ? 'over' : 'lobby',
    me: spectator ? null : seatOf(lobby.players, lobby.current_player_id),
    players: lobby.players,
    code: lobby.code,
    settings: lobby.settings,
    turn: null,
  }
}

function start(event: StartEvent): TableState {
  return {
    ...emptyTable,
    phase: 'round',
    me: event.spectator ? null : seatOf(event.players, event.current_player_id),
    players: event.players,
    code: event.game_code,
    settings: event.settings,
    deck: event.card_ids,
    hands: Object.fromEntries(event.players.map((player) => [player.id, []])),
  }
}

function move(table: TableState, { cards, destination }: MoveEvent): TableState {
  const ids = cards.map((card) => card.id)
  const leaving = new Set(ids)
  const without = (stack: string[]): string[] =>
    stack.some((id) => leaving.has(id)) ? stack.filter((id) => !leaving.has(id)) : stack

  const faces = { ...table.faces }
  // A face once seen stays known, e.g. when somebody takes the open discard into their hand.
  for (const card of cards) if (card.face) faces[card.id] = card.face

  const next: TableState = {
    ...table,
    faces,
    deck: without(table.deck),
    discard: without(table.discard),
    hands: Object.fromEntries(Object.entries(table.hands).map(([id, hand]) => [id, without(hand)])),
    melds: table.melds.map(without),
  }
  switch (destination.type) {
    case 'player': {
      const hand = next.hands[destination.player_id] ?? []
      next.hands[destination.player_id] = inserted(hand, destination.position, ids)
      const fromPile = table.turn !== null && ids.some((id) => table.discard.includes(id))
      next.taken = fromPile ? (ids[0] ?? null) : table.taken
      next.drawn = table.turn !== null ? (ids[0] ?? null) : table.drawn
      break
    }
    case 'meld': {
      const meld = next.melds[destination.meld_number] ?? []
      next.melds[destination.meld_number] = inserted(meld, destination.position, ids)
      break
    }
    case 'discard':
      next.discard = [...next.discard, ...ids]
      break
  }
  return next
}

function inserted(stack: string[], position: number, ids: string[]): string[] {
  return [...stack.slice(0, position), ...ids, ...stack.slice(position)]
}

function turn(table: TableState, event: TurnEvent): TableState {
  const top = event.deck_card
  return {
    ...table,
    faces: top?.face ? { ...table.faces, [top.id]: top.face } : table.faces,
    turn: { player: event.player_id, step: event.state },
    drawn: event.state === 'draw' ? null : table.drawn,
    taken: event.state === 'draw' ? null : table.taken,
  }
}

function redeck(table: TableState, event: RedeckEvent): TableState {
  const faces = { ...table.faces }
  for (const id of table.discard) delete faces[id]
  return { ...table, faces, deck: event.new_card_ids, discard: [] }
}

function end(table: TableState, event: EndEvent): TableState {
  return { ...table, phase: 'over', turn: null, result: event }
}
