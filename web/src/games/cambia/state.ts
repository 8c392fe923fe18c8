/**
 * The table as this viewer knows it: a pure fold over the protocol's messages.
 * It trusts the server, checks no rules and sends nothing.
 *
 * `faces` has only the cards that this viewer sees face up now. Players must remember the rest,
 * unless the rule `remindKnown` is on: then a face once seen stays until its card moves unseen, as
 * in the server's own `private_sync_state`.
 */
import type { Timer } from '../../lib/clock.svelte'
import type {
  GameState,
  HouseRules,
  LobbyState,
  Message,
  PlayerState,
  Rank,
  Result,
  SeenCard,
  Special,
  Suit,
} from './messages'
import { closed, faceOf, play, timer } from './play'

export interface Face {
  rank: Rank
  suit: Suit
  value: number
}

/** Why a card in a hand lies open: all see a failed snap and the end, only you the others. */
export type Why = 'initial' | 'peek' | 'king' | 'fail' | 'end'

export interface Player {
  id: string
  name: string
  /** Card ids by idx. */
  hand: string[]
  drawn: string | null
  connected: boolean
  /** The timer plays this seat. */
  timerPlays: boolean
  /** Until when a card is to be handed over, by this machine's clock. */
  owesUntil: number | null
  /** In a circuit. */
  total: number | null
}

/** What the turn waits for; `done` between a discard and what follows from it. */
export type Step = 'look' | 'draw' | 'place' | 'choose' | 'decide' | 'done' | 'over'

export interface Ability {
  player: string
  special: Special
  rank: Rank | null
  /** The two cards of a King's first step. */
  looked: [string, string] | null
}

export interface Game {
  id: string
  step: Step
  /** In turn order. */
  players: Player[]
  current: string | null
  turn: number
  stockpile: number
  /** The discards seen, bottom to top; there may be more of them below. */
  pile: string[]
  discards: number
  /** The drawn card came from the discard pile: it fires no ability. */
  fromDiscards: boolean
  faces: Record<string, Face>
  open: Record<string, Why>
  ability: Ability | null
  caller: string | null
  timer: Timer | null
  rules: HouseRules
  result: Result | null
  /** This machine's clock minus the server's. */
  skew: number
}

export interface ChatLine {
  id: number
  user: string
  name: string
  text: string
}

export interface TableState {
  lobby: LobbyState | null
  /** Until the next phase comes by itself. */
  countdown: Timer | null
  /** This viewer's id; `null` for a spectator. */
  me: string | null
  game: Game | null
  chat: ChatLine[]
}

const PRE_GAME = 10_000

export const emptyTable: TableState = {
  lobby: null,
  countdown: null,
  me: null,
  game: null,
  chat: [],
}

/** `now` is when the message arrived, by this machine's clock. */
export function fold(table: TableState, message: Message, now: number): TableState {
  switch (message.type) {
    case 'lobby_state':
      return lobby(table, message)
    case 'phase_change':
      return {
        ...table,
        lobby: table.lobby && { ...table.lobby, phase: message.phase },
        countdown:
          message.seconds === undefined
            ? null
            : { until: now + message.seconds * 1000, total: message.seconds * 1000 },
      }
    case 'chat': {
      const id = (table.chat.at(-1)?.id ?? 0) + 1
      const line = { id, user: message.userID, name: message.username, text: message.msg }
      return { ...table, chat: [...table.chat.slice(-79), line] }
    }
    case 'private_sync_state':
      return { ...table, game: stillShown(table.game, synced(message.state, now)) }
    default: {
      const game = table.game && play(table.game, message, table.me, now)
      return game === table.game ? table : { ...table, game }
    }
  }
}

/** The visitor has seen the result and goes back to the lobby. */
export function leaveGame(table: TableState): TableState {
  return table.game?.result ? { ...table, game: null } : table
}

/** Turns cards face down again that were shown for a moment. */
export function conceal(table: TableState, cards: readonly string[]): TableState {
  return table.game ? { ...table, game: closed(table.game, cards) } : table
}

export const playerOf = (game: Game, id: string | null | undefined): Player | undefined =>
  game.players.find((player) => player.id === id)

export const topOf = (game: Game): string | null => game.pile.at(-1) ?? null

export const ownerOf = (game: Game, card: string): Player | undefined =>
  game.players.find((player) => player.hand.includes(card))

/** Where a card lies, as `data-zone` names it; cards that lie nowhere come from the stockpile. */
export function zoneOf(game: Game, card: string): string {
  for (const player of game.players) {
    if (player.drawn === card) return `drawn:${player.id}`
    if (player.hand.includes(card)) return `hand:${player.id}`
  }
  return game.pile.includes(card) ? 'discard' : 'stockpile'
}

function lobby(table: TableState, message: LobbyState): TableState {
  const moved = table.lobby?.phase !== message.phase
  // A game that ended while we were disconnected is gone; a result that is shown stays.
  const gone = message.phase !== 'in_game' && table.game !== null && !table.game.result
  return {
    ...table,
    lobby: message,
    me: message.your_id,
    countdown: moved ? null : table.countdown,
    game: gone ? null : table.game,
  }
}

// The whole game at once

function synced(state: GameState, now: number): Game {
  const skew = now - state.serverNow
  const { specialAction: special } = state
  const looked = special.looked as [string, string] | undefined
  const faces: Record<string, Face> = {}
  const open: Record<string, Why> = {}
  const see = (card: SeenCard | null | undefined): void => {
    const face = faceOf(card)
    if (card && face) faces[card.id] = face
  }
  see(state.discardTop)
  for (const player of state.players) {
    see(player.drawnCard)
    for (const card of player.revealedHand) {
      see(card)
      if (!card.known) continue
      if (state.preGameActive) open[card.id] = 'initial'
      else if (looked?.includes(card.id)) open[card.id] = 'king'
    }
  }
  const usual = state.preGameActive ? PRE_GAME : state.houseRules.turnTimerSec * 1000
  return {
    id: state.gameId,
    step: stepOf(state),
    players: state.players.map((player) => seated(player, skew)),
    current: state.currentPlayerId,
    turn: state.turnId,
    stockpile: state.stockpileSize,
    pile: state.discardTop ? [state.discardTop.id] : [],
    discards: state.discardSize,
    fromDiscards: state.players.some((player) => player.drawnCard?.source === 'discardpile'),
    faces,
    open,
    ability:
      special.active && special.playerId !== null && special.special
        ? {
            player: special.playerId,
            special: special.special,
            rank: special.cardRank,
            looked: looked ?? null,
          }
        : null,
    caller: state.cambiaCallerId,
    timer: timer(state, now, usual),
    rules: state.houseRules,
    result: null,
    skew,
  }
}

/**
 * A game told again in the middle of it, and what the page goes on showing: cards that lie open
 * for a moment, and the discards below the top one.
 */
function stillShown(before: Game | null, game: Game): Game {
  if (before?.id !== game.id) return game
  const inHands = new Set(game.players.flatMap((player) => player.hand))
  const open = { ...game.open }
  for (const [card, why] of Object.entries(before.open)) {
    if (inHands.has(card) && why !== 'initial') open[card] = why
  }
  const pile = topOf(before) === topOf(game) ? before.pile : game.pile
  const faces = { ...game.faces }
  for (const card of [...Object.keys(open), ...pile]) {
    const face = before.faces[card]
    if (face) faces[card] ??= face
  }
  return { ...game, faces, open, pile }
}

function stepOf(state: GameState): Step {
  if (state.preGameActive) return 'look'
  if (state.specialAction.active) return state.specialAction.looked ? 'decide' : 'choose'
  return state.players.some((player) => player.drawnCard) ? 'place' : 'draw'
}

function seated(player: PlayerState, skew: number): Player {
  return {
    id: player.playerId,
    name: player.username,
    hand: player.revealedHand.map((card) => card.id),
    drawn: player.drawnCard?.id ?? null,
    connected: player.connected,
    timerPlays: player.timerPlays,
    owesUntil: player.owesCardUntil === undefined ? null : player.owesCardUntil + skew,
    total: player.total ?? null,
  }
}
