/** Why something can't be done now, in a sentence; "" where it can. */
import { isMine, nameOf, type TableState } from './state'

export interface Reasons {
  draw: string
  take: string
  meld: string
  lay: string
  discard: string
}

/** What a visitor has picked out, and what the hints say of it. */
export interface Picked {
  cards: readonly string[]
  /** The numbers of the melds that would take it. */
  layable: readonly number[]
}

export function reasons(table: TableState, picked: Picked): Reasons {
  const toDraw = turnReason(table, 'draw')
  const toPlay = turnReason(table, 'play')
  return {
    draw: toDraw || (table.deck.length === 0 ? 'The deck is empty: take the discard.' : ''),
    take: toDraw || (table.discard.length === 0 ? 'The discard pile is empty.' : ''),
    meld: toPlay || (picked.cards.length < 3 ? 'Pick three or more cards to meld.' : ''),
    lay: toPlay || layReason(table, picked),
    discard: toPlay || discardReason(table, picked),
  }
}

function turnReason(table: TableState, step: 'draw' | 'play'): string {
  if (table.phase === 'over') return 'The round is over.'
  if (!table.turn) return 'The cards are being dealt.'
  if (!isMine(table)) return `It is ${nameOf(table, table.turn.player)}’s turn.`
  if (table.turn.step === step) return ''
  return step === 'draw' ? 'You have drawn a card already.' : 'Draw a card first.'
}

function layReason(table: TableState, { cards, layable }: Picked): string {
  if (table.melds.every((meld) => meld.length === 0)) return 'No meld lies on the table yet.'
  if (cards.length === 0) return 'Pick a card to lay on a meld.'
  if (layable.length > 0) return ''
  return cards.length === 1
    ? 'This card fits none of the melds.'
    : 'These cards together fit none of the melds.'
}

function discardReason(table: TableState, { cards }: Picked): string {
  if (cards.length !== 1) return 'Pick one card to discard.'
  const hand = table.hands[table.me ?? ''] ?? []
  return cards[0] === table.taken && hand.length > 1
    ? 'The card you took from the discard pile can’t go straight back.'
    : ''
}
