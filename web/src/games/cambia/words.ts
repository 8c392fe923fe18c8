/** The table in sentences: what may be done now, and what just happened. */
import { short, spoken } from '../../cards/faces'
import { capitalized, counted, listed } from '../../lib/text'
import { drawn } from './faces'
import { asked, wanted } from './hints'
import type { Card, Message, Rank, Special } from './messages'
import { faceOf, pair } from './play'
import { ownerOf, playerOf, type Face, type Game, type Player, type TableState } from './state'

/** A card as it is read with the eyes ("10♥") or said aloud ("ten of hearts"). */
export type Saying = (face: Face | null | undefined) => string

export const inSigns: Saying = (face) => {
  const card = drawn(face)
  return card ? short(card) : 'a card'
}
export const aloud: Saying = (face) => (face ? spoken(drawn(face)) : 'a card')

const cards = (n: number): string => (n === 1 ? 'a card' : `${n} cards`)

/** What an ability lets its player do. */
export const ABILITY: Partial<Record<Special, string>> = {
  peek_self: 'Look at one of your own cards',
  peek_other: 'Look at one card of somebody else',
  swap_blind: 'Swap any two cards, unseen',
  swap_peek: 'Look at any two cards, then swap them or leave them',
  swap_peek_swap: 'Swap the two cards, or leave them',
}

/** What discarding a freshly drawn card of this rank lets one do, or "". */
export function abilityOf(rank: Rank): string {
  if (rank === '7' || rank === '8') return 'look at one of yours'
  if (rank === '9' || rank === 'T') return 'look at another’s'
  if (rank === 'J' || rank === 'Q') return 'swap two unseen'
  return rank === 'K' ? 'look at any two' : ''
}

const named = (game: Game, me: string | null, id: string | null | undefined): string =>
  id === me && me !== null ? 'You' : (playerOf(game, id)?.name ?? 'Somebody')

/** "your card 2", "Bob’s card 2". */
export function place(game: Game, me: string | null, card: string): string {
  const owner = ownerOf(game, card)
  return owner ? placeAt(game, me, owner.id, owner.hand.indexOf(card)) : 'a card'
}

function placeAt(game: Game, me: string | null, owner: string, idx: number): string {
  return `${whose(game, me, owner)} card ${idx + 1}`
}

const whose = (game: Game, me: string | null, id: string): string =>
  id === me ? 'your' : `${named(game, me, id)}’s`

/** The players who are not ready yet. */
export function waitingFor(
  players: readonly { name: string; you: boolean; ready: boolean }[],
): string {
  const late = players.filter(({ ready }) => !ready)
  const others = late.filter(({ you }) => !you).map(({ name }) => name)
  if (others.length === 0) return 'The others wait for you.'
  return `Waiting for ${listed(late.length > others.length ? [...others, 'you'] : others)}.`
}

/** Whose turn it is and what they may do; `picks` are cards chosen for a swap so far. */
export function sentence(table: TableState, picks: readonly string[] = []): string {
  const { game, me } = table
  if (!game) return ''
  if (game.step === 'over') return result(table)
  if (game.step === 'look') return opening(game, me)
  switch (asked(game, me)) {
    case 'owe':
      return 'You snapped another’s card: hand over one of yours.'
    case 'draw':
      return toDraw(game)
    case 'place':
      return toPlace(game, playerOf(game, me))
    case 'choose':
      return toChoose(game, me, picks)
    case 'decide':
      return 'Swap the two cards, or leave them where they are.'
    default:
      return waiting(game, me)
  }
}

function opening(game: Game, me: string | null): string {
  if (!playerOf(game, me)) return 'The players are looking at their cards.'
  const seen = game.rules.initialViewCount
  if (seen === 0) return 'Nobody may look at their cards. The game begins in a moment.'
  return seen === 1
    ? 'Look at your first card and remember it.'
    : `Look at your first ${['', '', 'two', 'three', 'four'][seen] ?? seen} cards and remember them.`
}

function toDraw(game: Game): string {
  const piles = game.rules.allowDrawFromDiscardPile
    ? 'draw from the stockpile or the discard pile'
    : 'draw from the stockpile'
  return game.caller === null ? `Your turn: ${piles}, or call Cambia.` : `Your last turn: ${piles}.`
}

function toPlace(game: Game, player: Player | undefined): string {
  const face = player?.drawn ? game.faces[player.drawn] : undefined
  const use = face && !game.fromDiscards ? abilityOf(face.rank) : ''
  return `You drew ${inSigns(face)}: replace a card, or discard it${use && ` to ${use}`}.`
}

function toChoose(game: Game, me: string | null, picks: readonly string[]): string {
  const special = game.ability?.special ?? 'skip'
  if (wanted(game) === 1) return `${ABILITY[special] ?? ''}.`
  const [one, other] = picks
  if (one === undefined) return `${ABILITY[special] ?? ''}.`
  if (other === undefined) return `${capitalized(place(game, me, one))}, and which other card?`
  return `Swap ${place(game, me, one)} and ${place(game, me, other)}?`
}

function waiting(game: Game, me: string | null): string {
  const name = playerOf(game, game.current)?.name ?? 'Somebody'
  if (game.current === me && me !== null) return 'Your turn is over.'
  switch (game.step) {
    case 'place':
      return `${name} has drawn a card.`
    case 'choose':
      return {
        peek_self: `${name} may look at a card of their own.`,
        peek_other: `${name} may look at somebody else’s card.`,
        swap_blind: `${name} may swap two cards, unseen.`,
        swap_peek: `${name} may look at two cards and swap them.`,
      }[game.ability?.special as 'peek_self']
    case 'decide':
      return `${name} has looked at two cards and decides.`
    default:
      return `${name} is to draw${game.caller === null ? ' or to call Cambia' : ''}.`
  }
}

/** Said beside the sentence while it lasts. */
export function lastRound(game: Game, me: string | null): string {
  if (game.caller === null || game.result) return ''
  return `Last round: ${game.caller === me ? 'you' : named(game, me, game.caller)} called Cambia.`
}

/** What happened, for the moves (`inSigns`) and for the screen reader (`aloud`); "" for nothing. */
export function told(before: TableState, message: Message, after: TableState, say: Saying): string {
  const game = after.game
  const me = after.me
  if (message.type === 'chat') {
    return say === aloud && message.userID !== me ? `${message.username} says: ${message.msg}` : ''
  }
  if (message.type === 'phase_change') {
    if (message.phase === 'countdown') {
      const { seconds } = message
      const when = seconds === undefined ? 'a few seconds' : counted(seconds, 'second')
      return say === aloud ? `The game starts in ${when}.` : ''
    }
    return say === aloud && before.lobby?.phase === 'countdown' && message.phase === 'open'
      ? 'The countdown was cancelled.'
      : ''
  }
  if (!game) return ''
  switch (message.type) {
    case 'private_sync_state':
      return started(before, game, me, say)
    case 'private_initial_cards':
      return say === aloud && message.cards.length > 0
        ? `Your first cards: ${listed(message.cards.map((card) => say(faceOf(card))))}.`
        : ''
    case 'game_player_turn':
      return say === aloud && message.user.id === me ? sentence(after) : ''
    case 'player_draw_stockpile': {
      // Drawing from the stockpile is not told: the discard that follows is.
      if (message.source === 'stockpile') return ''
      return `${named(game, me, message.user.id)} took ${say(faceOf(message.card))} from the discard pile.`
    }
    case 'private_draw_stockpile':
      return say === aloud && message.source === 'stockpile'
        ? `You drew ${say(faceOf(message.card))}.`
        : ''
    case 'player_discard':
      return laid(game, me, message.user.id, message.card, message.timedOut ?? false, say)
    case 'game_reshuffle_stockpile':
      return 'The discards were shuffled into the stockpile.'
    case 'player_special_choice':
      // The server sends it after every change of a hand; only the first one is news.
      return say === aloud && message.user.id === me && !before.game?.ability
        ? `${ABILITY[message.special] ?? ''}, or skip.`
        : ''
    case 'player_special_action':
      return acted(before, message, game, me)
    case 'private_special_action_success':
      return say === aloud
        ? `${capitalized(listed(pair(message).map((card) => `${place(game, me, card.id)} is ${say(faceOf(card))}`)))}.`
        : ''
    case 'player_cambia':
      return `${named(game, me, message.user.id)} called Cambia: everybody else has one more turn.`
    case 'player_snap_success': {
      const own = message.card.user?.id === message.user.id
      const what = own
        ? say(faceOf(message.card))
        : `${placeAt(game, me, message.card.user?.id ?? '', message.card.idx ?? 0)}, ${say(faceOf(message.card))}`
      return `${named(game, me, message.user.id)} snapped ${what}.`
    }
    case 'player_snap_fail':
      return `${named(game, me, message.user.id)} snapped ${say(faceOf(message.card))}: wrong.`
    case 'player_snap_penalty':
      return message.payload.count === message.payload.total
        ? `${named(game, me, message.user.id)} took ${cards(message.payload.total)} blind.`
        : ''
    case 'player_snap_move':
      return `${named(game, me, message.user.id)} handed a card over to ${message.card.user?.id === me ? 'you' : named(game, me, message.card.user?.id)}.`
    case 'game_auto_play':
      return message.payload.active
        ? `${named(game, me, message.user.id)} missed too many turns: the timer now plays for ${message.user.id === me ? 'you' : 'them'}.`
        : `${named(game, me, message.user.id)} plays again.`
    case 'game_end':
      return result(after)
    default:
      return ''
  }
}

function started(before: TableState, game: Game, me: string | null, say: Saying): string {
  if (game.step === 'look' && before.game?.id !== game.id) {
    const line = `A new game: ${game.players.length} players.`
    return say === aloud ? `${line} ${opening(game, me)}` : line
  }
  return before.game?.step === 'look' && game.step !== 'look'
    ? 'The cards are turned down; the game begins.'
    : ''
}

function laid(
  game: Game,
  me: string | null,
  user: string,
  card: Card,
  timedOut: boolean,
  say: Saying,
): string {
  const who = named(game, me, user)
  const face = say(faceOf(card))
  const late = timedOut ? ' Time had run out.' : ''
  return card.idx === undefined
    ? `${who} discarded ${face}.${late}`
    : `${who} replaced card ${card.idx + 1} and discarded ${face}.${late}`
}

function acted(
  before: TableState,
  message: Message & { type: 'player_special_action' },
  game: Game,
  me: string | null,
): string {
  const who = named(game, me, message.user.id)
  const places = listed(
    pair(message).map((card) => {
      const owner = card.user?.id ?? ''
      const theirs = owner === message.user.id && owner !== me
      return theirs
        ? `their own card ${(card.idx ?? 0) + 1}`
        : placeAt(game, me, owner, card.idx ?? 0)
    }),
  )
  switch (message.special) {
    case 'peek_self':
    case 'peek_other':
    case 'swap_peek_reveal':
      return `${who} looked at ${places}.`
    case 'swap_blind':
      return `${who} swapped ${places}, unseen.`
    case 'swap_peek_swap':
      return `${who} swapped ${places}.`
    case 'skip':
      if (before.game?.step === 'decide') return `${who} left both cards where they are.`
      return message.timedOut ? `${who} ran out of time.` : `${who} skipped the ability.`
    default:
      return ''
  }
}

/** How the game went, in one sentence. */
export function result(table: TableState): string {
  const { game, me } = table
  const end = game?.result
  if (!game || !end) return ''
  if (end.reason === 'abandoned') return 'The game was stopped early.'
  const [winner, ...more] = end.winners
  if (winner === undefined) return 'The game ended without a winner.'
  const score = counted(end.scores[winner] ?? 0, 'point')
  if (more.length === 0) return `${named(game, me, winner)} won with ${score}.`
  const names = end.winners.map((id, at) => {
    const name = named(game, me, id)
    return name === 'You' && at > 0 ? 'you' : name
  })
  return `${listed(names)} share the win with ${score}.`
}

/** What else there is to say about the end: why it came, and what it cost the caller. */
export function aftermath(table: TableState): string {
  const { game, me } = table
  const end = game?.result
  if (!game || !end) return ''
  const lines: string[] = []
  if (end.reason === 'stockpile') lines.push('There was nothing left to draw.')
  if (end.caller !== null) {
    const who = named(game, me, end.caller)
    if (end.penaltyApplied) lines.push(`${who} called Cambia without the lowest hand.`)
    else if (end.winners.includes(end.caller))
      lines.push(`${who} called Cambia with the lowest hand.`)
  }
  if (end.circuit?.over) {
    const names = end.circuit.champions.map((id) => named(game, me, id))
    lines.push(`The circuit is over: ${listed(names)} won it.`)
  }
  return lines.join(' ')
}
