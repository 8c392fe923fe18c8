/** The table in sentences: what may be done now, and what just happened. */
import { short, spoken } from '../../cards/faces'
import { counted, listed } from '../../lib/text'
import type { Event, Face, MoveEvent } from '../../protocol/rummy'
import { isRun, isSet } from './hints'
import { isMine, nameOf, type TableState } from './state'

/** Whose turn it is and what they may do. */
export function sentence(table: TableState): string {
  if (table.phase === 'over') return 'The round is over.'
  if (!table.turn) return 'The cards are being dealt.'
  if (!isMine(table)) {
    const name = nameOf(table, table.turn.player)
    return table.turn.step === 'draw' ? `${name} is to draw a card.` : `${name} is playing.`
  }
  if (table.turn.step === 'play') {
    return 'Your turn: meld or lay what you can, then discard a card.'
  }
  if (table.deck.length === 0) return 'Your turn: the deck is empty, take the discard.'
  if (table.discard.length === 0) return 'Your turn: draw a card from the deck.'
  return 'Your turn: draw a card from the deck or the discard pile.'
}

/** A card as it is read with the eyes ("10♥") or said aloud ("ten of hearts"). */
type Saying = (face: Face) => string

/** What a meld is called, e.g. "run of hearts" or "set of sevens". */
export function meldName(cards: readonly Face[], table: TableState): string {
  const natural = cards.find((card) => card.suit !== 'joker')
  if (!natural || !table.settings) return 'meld'
  const mixed = cards.some((card) => card.suit !== 'joker' && card.suit !== natural.suit)
  if (isSet(cards, table.settings)) return `set of ${plural(natural)}`
  if (isRun(cards, table.settings)) return mixed ? 'run' : `run of ${natural.suit}`
  return 'meld'
}

function plural(face: Face): string {
  const word = spoken(face).split(' ')[0] ?? ''
  return word === 'six' ? 'sixes' : `${word}s`
}

/** What happened, for the log (`short`) and for the screen reader (`spoken`); "" for nothing. */
export function told(before: TableState, event: Event, after: TableState, say: Saying): string {
  switch (event.type) {
    case 'start':
      return `A new round: ${event.players.length} players.`
    case 'move':
      return before.turn ? moved(before, event, after, say) : ''
    case 'turn':
      return turned(before, after, say)
    case 'redeck':
      return 'The deck ran out; the discards are the new deck.'
    case 'end':
      return result(after)
    default:
      return ''
  }
}

export const inSigns: Saying = short
export const aloud: Saying = spoken

function moved(before: TableState, event: MoveEvent, after: TableState, say: Saying): string {
  const { cards, destination } = event
  const known = cards.flatMap(({ id }) => after.faces[id] ?? [])
  switch (destination.type) {
    case 'player': {
      const who = named(after, destination.player_id)
      const fromPile = cards.some(({ id }) => before.discard.includes(id))
      const what =
        known.length === cards.length && (fromPile || who === 'You')
          ? listed(known.map(say))
          : 'a card'
      return fromPile
        ? `${who} took ${what} from the discard pile.`
        : `${who} drew ${what} from the deck.`
    }
    case 'meld': {
      const old = before.melds[destination.meld_number] ?? []
      const laid = cards.filter(({ id }) => !old.includes(id))
      const who = named(before, holderOf(before, laid[0]?.id))
      const words = listed(laid.flatMap(({ id }) => after.faces[id] ?? []).map(say))
      if (old.length === 0) return `${who} melded ${words}.`
      const meld = (after.melds[destination.meld_number] ?? []).flatMap(
        (id) => after.faces[id] ?? [],
      )
      return `${who} laid ${words} on the ${meldName(meld, after)}.`
    }
    case 'discard': {
      const holder = holderOf(before, cards[0]?.id)
      const words = listed(known.map(say))
      return holder ? `${named(before, holder)} discarded ${words}.` : `The ${words} is turned up.`
    }
  }
}

function holderOf(table: TableState, card: string | undefined): string | null {
  if (card === undefined) return null
  return Object.keys(table.hands).find((player) => table.hands[player]?.includes(card)) ?? null
}

const named = (table: TableState, player: string | null): string =>
  player !== null && player === table.me ? 'You' : nameOf(table, player)

/** For screen readers only: that it is your turn and, at the beginning, what you were dealt. */
function turned(before: TableState, after: TableState, say: Saying): string {
  if (say === inSigns) return ''
  const mine = isMine(after) && after.turn?.step === 'draw' ? sentence(after) : ''
  return [before.turn ? '' : opening(after), mine].filter(Boolean).join(' ')
}

function opening(table: TableState): string {
  const hand = (table.hands[table.me ?? ''] ?? []).flatMap((id) => table.faces[id] ?? [])
  return hand.length ? `You hold ${listed(hand.map(aloud))}.` : ''
}

/** How the round went, in one sentence. */
export function result(table: TableState): string {
  const end = table.result
  if (!end) return ''
  if (end.winner_id === null) return 'The round ended without a winner.'
  const gain = Object.values(end.hand_values).reduce((sum, value) => sum + value, 0)
  const points = counted(gain, 'point')
  return end.winner_id === table.me
    ? `You won the round and gain ${points}.`
    : `${nameOf(table, end.winner_id)} won the round and gains ${points}.`
}
