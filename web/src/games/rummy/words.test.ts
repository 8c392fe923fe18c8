import { describe, expect, it } from 'vitest'
import type { Event, Face, Settings } from '../../protocol/rummy'
import { emptyTable, fold, type TableState } from './state'
import { aloud, inSigns, result, sentence, told } from './words'

const players = [
  { id: 'me', name: 'Ida', human: true },
  { id: 'bot', name: 'Pip', human: false },
]
const settings = {
  ace_rank: 'low',
  allow_run_mixed_suit: false,
  allow_set_duplicate_suit: false,
  limit_meld_size: null,
} as Settings
const face = (suit: Face['suit'], rank: Face['rank']): Face => ({ suit, rank })
const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
const start: Event = {
  type: 'start',
  players,
  current_player_id: 'me',
  card_ids: ids,
  game_code: '000000',
  settings,
}
const hand = (id: string, player_id: string, card: Face | null): Event => ({
  type: 'move',
  cards: [{ id, face: card }],
  destination: { type: 'player', player_id, position: 0 },
})
const turn = (player_id: string, state: 'draw' | 'play'): Event => ({
  type: 'turn',
  player_id,
  state,
})
const discard = (id: string, card: Face): Event => ({
  type: 'move',
  cards: [{ id, face: card }],
  destination: { type: 'discard' },
})

const dealt = [
  start,
  hand('g', 'me', face('hearts', '10')),
  hand('f', 'bot', null),
  discard('e', face('spades', 'Q')),
].reduce(fold, emptyTable)

const tell = (table: TableState, event: Event, say = aloud): string =>
  told(table, event, fold(table, event), say)

describe('the sentence on the table', () => {
  it('says what may be done', () => {
    expect(sentence(dealt)).toBe('The cards are being dealt.')
    expect(sentence(fold(dealt, turn('me', 'draw')))).toBe(
      'Your turn: draw a card from the deck or the discard pile.',
    )
    expect(sentence(fold(dealt, turn('me', 'play')))).toBe(
      'Your turn: meld or lay what you can, then discard a card.',
    )
    expect(sentence(fold(dealt, turn('bot', 'draw')))).toBe('Pip is to draw a card.')
  })

  it('does not send anybody to an empty deck', () => {
    const table = { ...fold(dealt, turn('me', 'draw')), deck: [] }
    expect(sentence(table)).toBe('Your turn: the deck is empty, take the discard.')
  })
})

describe('what is told of a move', () => {
  const mine = fold(dealt, turn('me', 'draw'))
  const theirs = fold(dealt, turn('bot', 'draw'))

  it('deals in silence, then says the hand and whose turn it is', () => {
    expect(tell(fold(emptyTable, start), hand('g', 'me', face('hearts', '10')))).toBe('')
    expect(tell(dealt, turn('me', 'draw'))).toBe(
      'You hold ten of hearts. Your turn: draw a card from the deck or the discard pile.',
    )
  })

  it('names the card to its owner alone', () => {
    expect(tell(mine, hand('d', 'me', face('clubs', '6')))).toBe(
      'You drew six of clubs from the deck.',
    )
    expect(tell(theirs, hand('d', 'bot', null))).toBe('Pip drew a card from the deck.')
  })

  it('names a card everybody saw lying open', () => {
    expect(tell(theirs, hand('e', 'bot', null))).toBe(
      'Pip took queen of spades from the discard pile.',
    )
    expect(tell(theirs, hand('e', 'bot', null), inSigns)).toBe('Pip took Q♠ from the discard pile.')
  })

  it('names who laid a card by whose hand it left, not by whose turn it is', () => {
    const meld: Event = {
      type: 'move',
      cards: [
        { id: 'f', face: face('hearts', '5') },
        { id: 'x', face: face('hearts', '6') },
        { id: 'y', face: face('hearts', '7') },
      ],
      destination: { type: 'meld', meld_number: 0, position: 0 },
    }
    expect(tell(mine, meld)).toBe('Pip melded five of hearts, six of hearts and seven of hearts.')
    const laid = fold(mine, meld)
    const lay: Event = {
      type: 'move',
      cards: [{ id: 'g', face: face('hearts', '8') }],
      destination: { type: 'meld', meld_number: 0, position: 3 },
    }
    expect(tell(laid, lay)).toBe('You laid eight of hearts on the run of hearts.')
  })

  it('tells a discard from a card turned up', () => {
    expect(tell(mine, discard('g', face('hearts', '10')))).toBe('You discarded ten of hearts.')
    expect(tell(mine, discard('d', face('hearts', '2')))).toBe('The two of hearts is turned up.')
  })

  it('says how the round ended', () => {
    expect(result(fold(mine, { type: 'end', winner_id: 'me', hand_values: { bot: 1 } }))).toBe(
      'You won the round and gain 1 point.',
    )
    expect(result(fold(mine, { type: 'end', winner_id: 'bot', hand_values: { me: 10 } }))).toBe(
      'Pip won the round and gains 10 points.',
    )
    expect(result(fold(mine, { type: 'end', winner_id: null, hand_values: {} }))).toBe(
      'The round ended without a winner.',
    )
  })
})
