/**
 * The table as this viewer knows it: a pure fold over the protocol's messages.
 * It believes the server; it checks no rule and asks for nothing.
 *
 * `faces` has only what lies open to this viewer just now. Remembering the rest is the game,
 * unless the house reminds (`remindKnown`): then a face once seen stays until its card moves
 * unseen, as it does in the server's own `private_sync_state`.
 */
import type {
  Card,
  GameEnd,
  GameState,
  HouseRules,
  LobbyState,
  Message,
  PlayerDiscard,
  PlayerDrawStockpile,
  PlayerSnapSuccess,
  PlayerSpecialAction,
  PlayerState,
  Rank,
  Result,
  SeenCard,
  Special,
  Suit,
  Timer as WireTimer,
} from './messages'

export interface Face {
  rank: Rank
  suit: Suit
  value: number
}

/** Time running out, by this machine's clock. */
export interface Timer {
  until: number
  total: number
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
      return { ...table, game: synced(message.state, now) }
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

/** The others, in turn order from this viewer on; a spectator sees everybody. */
export function others(game: Game, me: string | null): Player[] {
  const mine = game.players.findIndex((player) => player.id === me)
  if (mine < 0) return game.players
  return [...game.players.slice(mine + 1), ...game.players.slice(0, mine)]
}

/** Where a card lies, as `data-zone` names it; what lies nowhere comes from the stockpile. */
export function zoneOf(game: Game, card: string): string {
  for (const player of game.players) {
    if (player.drawn === card) return `drawn:${player.id}`
    if (player.hand.includes(card)) return `hand:${player.id}`
  }
  return game.pile.includes(card) ? 'discard' : 'stockpile'
}

function lobby(table: TableState, message: LobbyState): TableState {
  const moved = table.lobby?.phase !== message.phase
  // A game that ended while the line was cut is over; one whose result is shown stays.
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
    fromDiscards: false,
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

// One message

function play(game: Game, message: Message, me: string | null, now: number): Game {
  switch (message.type) {
    case 'private_initial_cards':
      return opened(game, message.cards, 'initial')
    case 'game_player_turn':
      return {
        ...timed(game, message.payload, now),
        step: 'draw',
        current: message.user.id,
        turn: message.payload.turn,
        ability: null,
      }
    case 'game_turn_timer':
      return timed(game, message.payload, now)
    case 'player_draw_stockpile':
      return drew(game, message)
    case 'private_draw_stockpile':
      return seen(game, [message.card])
    case 'player_discard':
      return discarded(game, message)
    case 'game_reshuffle_stockpile':
      return {
        ...game,
        stockpile: message.stockpileSize,
        pile: game.pile.slice(-1),
        discards: Math.min(1, game.discards),
      }
    case 'player_special_choice':
      return {
        ...timed(game, message.payload, now),
        step: 'choose',
        ability: {
          player: message.user.id,
          special: message.special,
          rank: message.card.rank ?? null,
          looked: null,
        },
      }
    case 'player_special_action':
      return used(game, message, me, now)
    case 'private_special_action_success': {
      const king = message.special === 'swap_peek_reveal'
      return opened(game, pair(message), king ? 'king' : 'peek')
    }
    case 'private_special_action_fail':
      return timed(game, message.payload, now)
    case 'player_cambia':
      return { ...game, caller: message.user.id, step: 'done' }
    case 'player_snap_success':
      return snapped(game, message)
    case 'player_snap_fail':
      return opened(game, [message.card], 'fail')
    case 'player_snap_penalty':
      return {
        ...withPlayer(game, message.user.id, (player) => ({
          hand: [...player.hand, message.card.id],
        })),
        stockpile: message.stockpileSize,
      }
    case 'player_snap_move': {
      const { id, idx = 0, user } = message.card
      const without = withPlayer(game, message.user.id, (player) => ({
        hand: player.hand.filter((card) => card !== id),
        owesUntil: null,
      }))
      const moved = withPlayer(without, user?.id, (player) => ({
        hand: [...player.hand.slice(0, idx), id, ...player.hand.slice(idx)],
      }))
      return forgotten(moved, [id])
    }
    case 'player_disconnect':
      return withPlayer(game, message.user.id, () => ({ connected: false }))
    case 'player_reconnect':
      return withPlayer(game, message.user.id, () => ({ connected: true }))
    case 'game_auto_play':
      return withPlayer(game, message.user.id, () => ({ timerPlays: message.payload.active }))
    case 'game_end':
      return ended(game, message)
    default:
      return game
  }
}

function drew(game: Game, { user, card, source, payload }: PlayerDrawStockpile): Game {
  const fromDiscards = source === 'discardpile'
  return {
    ...seen(
      withPlayer(game, user.id, () => ({ drawn: card.id })),
      [card],
    ),
    step: 'place',
    stockpile: payload.stockpileSize,
    discards: payload.discardSize,
    pile: fromDiscards ? game.pile.filter((id) => id !== card.id) : game.pile,
    fromDiscards,
  }
}

function discarded(game: Game, { user, card }: PlayerDiscard): Game {
  const { idx } = card
  const drawn = playerOf(game, user.id)?.drawn
  const placed = withPlayer(game, user.id, (player) => ({
    drawn: null,
    hand:
      idx === undefined || !player.drawn
        ? player.hand
        : player.hand.map((id) => (id === card.id ? player.drawn! : id)),
  }))
  // What was drawn and kept is turned down; what was replaced lies open on the pile.
  const kept = idx !== undefined && drawn ? closed(placed, [drawn]) : placed
  return onPile({ ...kept, step: 'done' }, card)
}

function snapped(game: Game, { user, card, payload }: PlayerSnapSuccess): Game {
  const owner = card.user?.id ?? user.id
  const lifted = withPlayer(game, owner, (player) => {
    const hand = player.hand.filter((id) => id !== card.id)
    // An empty hand has nothing to pay with.
    return { hand, owesUntil: hand.length === 0 ? null : player.owesUntil }
  })
  const owing = payload
    ? withPlayer(lifted, user.id, () => ({ owesUntil: payload.moveDeadline + game.skew }))
    : lifted
  return onPile(owing, card)
}

function used(game: Game, message: PlayerSpecialAction, me: string | null, now: number): Game {
  const cards = pair(message)
  switch (message.special) {
    case 'swap_peek_reveal': {
      const [one, other] = cards
      const looked: [string, string] | null = one && other ? [one.id, other.id] : null
      const on = message.payload ? timed(game, message.payload, now) : game
      const ability = game.ability && {
        ...game.ability,
        special: 'swap_peek_swap' as const,
        looked,
      }
      return { ...on, step: 'decide', ability }
    }
    case 'swap_blind':
    case 'swap_peek_swap': {
      const swapped = cards.reduce(
        (after, card) =>
          withPlayer(after, card.user?.id, (player) => ({
            hand: player.hand.map((id, idx) => (idx === card.idx ? card.id : id)),
          })),
        game,
      )
      // Who has looked at both knows where they went.
      const knows = message.special === 'swap_peek_swap' && message.user.id === me
      const ids = cards.map((card) => card.id)
      return { ...(knows ? swapped : forgotten(swapped, ids)), step: 'done', ability: null }
    }
    default:
      return { ...game, step: 'done', ability: null }
  }
}

function ended(game: Game, { payload }: GameEnd): Game {
  const players = game.players.map((player) => ({
    ...player,
    hand: (payload.hands[player.id] ?? []).map((card) => card.id),
    drawn: null,
    owesUntil: null,
    total: payload.circuit?.totals[player.id] ?? player.total,
  }))
  const cards = Object.values(payload.hands).flat()
  return {
    ...opened({ ...game, players, open: {} }, cards, 'end'),
    step: 'over',
    current: null,
    ability: null,
    timer: null,
    result: payload,
  }
}

// Cards and faces

export function faceOf(card: Card | SeenCard | null | undefined): Face | null {
  if (!card?.rank || !card.suit) return null
  return { rank: card.rank, suit: card.suit, value: card.value ?? 0 }
}

/** The cards a message names, one or two. */
export const pair = ({ card, card1, card2 }: { card?: Card; card1?: Card; card2?: Card }): Card[] =>
  [card1 ?? card, card2].filter((named) => named !== undefined)

function seen(game: Game, cards: readonly Card[]): Game {
  const faces = { ...game.faces }
  for (const card of cards) {
    const face = faceOf(card)
    if (face) faces[card.id] = face
  }
  return { ...game, faces }
}

function opened(game: Game, cards: readonly Card[], why: Why): Game {
  const open = { ...game.open }
  for (const card of cards) open[card.id] = why
  return { ...seen(game, cards), open }
}

/** Face down again; forgotten, unless the house reminds. */
function closed(game: Game, cards: readonly string[]): Game {
  const open = { ...game.open }
  for (const id of cards) delete open[id]
  return game.rules.remindKnown ? { ...game, open } : { ...without(game, cards), open }
}

/** They went where nobody saw them go. */
function forgotten(game: Game, cards: readonly string[]): Game {
  const after = without(game, cards)
  const open = { ...game.open }
  for (const id of cards) delete open[id]
  return { ...after, open }
}

function without(game: Game, cards: readonly string[]): Game {
  const faces = { ...game.faces }
  for (const id of cards) delete faces[id]
  return { ...game, faces }
}

function onPile(game: Game, card: Card): Game {
  const open = { ...game.open }
  delete open[card.id]
  return {
    ...seen(game, [card]),
    open,
    pile: [...game.pile.slice(-5), card.id],
    discards: game.discards + 1,
  }
}

function withPlayer(
  game: Game,
  id: string | undefined,
  change: (player: Player) => Partial<Player>,
): Game {
  return {
    ...game,
    players: game.players.map((player) =>
      player.id === id ? { ...player, ...change(player) } : player,
    ),
  }
}

// Time

function timed(game: Game, wire: WireTimer, now: number): Game {
  return { ...game, timer: timer(wire, now), skew: now - wire.serverNow }
}

function timer(wire: WireTimer, now: number, usual = 0): Timer | null {
  if (wire.turnDeadline === null) return null
  const left = wire.turnDeadline - wire.serverNow
  return { until: now + left, total: Math.max(left, usual) }
}
