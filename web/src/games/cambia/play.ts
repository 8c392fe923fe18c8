/** How each message changes a game under way: the part of `state.ts`'s fold for play itself. */
import type { Timer } from '../../lib/clock.svelte'
import type {
  Card,
  GameEnd,
  Message,
  PlayerDiscard,
  PlayerDrawStockpile,
  PlayerSnapSuccess,
  PlayerSpecialAction,
  SeenCard,
  Timer as WireTimer,
} from './messages'
import type { Face, Game, Player, Why } from './state'

/** The game after one message, which arrived at `now` by this machine's clock. */
export function play(game: Game, message: Message, me: string | null, now: number): Game {
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
      // Told again while a King's two cards are looked at: the choice has been made already.
      if (game.ability?.looked) return timed(game, message.payload, now)
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
  const drawn = game.players.find((player) => player.id === user.id)?.drawn
  const placed = withPlayer(game, user.id, (player) => ({
    drawn: null,
    hand:
      idx === undefined || !player.drawn
        ? player.hand
        : player.hand.map((id) => (id === card.id ? player.drawn! : id)),
  }))
  // The kept card is turned face down; the replaced card lies open on the pile.
  const kept = idx !== undefined && drawn ? closed(placed, [drawn]) : placed
  return onPile({ ...kept, step: 'done' }, card)
}

function snapped(game: Game, { user, card, payload }: PlayerSnapSuccess): Game {
  const owner = card.user?.id ?? user.id
  const lifted = withPlayer(game, owner, (player) => {
    const hand = player.hand.filter((id) => id !== card.id)
    // A player without cards owes none.
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
      // The player who looked at both cards still knows which is which.
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

/** Turns cards face down again. Their faces are forgotten, unless `remindKnown` is on. */
export function closed(game: Game, cards: readonly string[]): Game {
  const open = { ...game.open }
  for (const id of cards) delete open[id]
  return game.rules.remindKnown ? { ...game, open } : { ...without(game, cards), open }
}

/** Forgets the faces of cards that were moved face down. */
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

/** `usual`: how long it would have been from the beginning. */
export function timer(wire: WireTimer, now: number, usual = 0): Timer | null {
  if (wire.turnDeadline === null) return null
  const left = wire.turnDeadline - wire.serverNow
  return { until: now + left, total: Math.max(left, usual) }
}
