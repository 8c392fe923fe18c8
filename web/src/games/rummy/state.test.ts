import { describe, expect, it } from 'vitest'
import type { Card, Event, Face } from '../../protocol/rummy'
import { settings } from './recorded'
import { emptyTable, fold, isMine, leaveRound, topOf, type TableState } from './state'

const players = ['ann', 'bob', 'cid'].map((id) => ({ id, name: id.toUpperCase(), human: true }))
const five: Face = { suit: 'hearts', rank: '5' }

const lobby: Event = {
  type: 'lobby',
  lobby: { players, current_player_id: 'bob', code: '123456', settings },
}
const start: Event = {
  type: 'start',
  players,
  current_player_id: 'bob',
  card_ids: ['a', 'b', 'c', 'd', 'e', 'f'],
  game_code: '123456',
  settings,
}
const card = (id: string, face: Face | null = null): Card => ({ id, face })
const toHand = (
  id: string,
  player_id: string,
  position: number,
  face: Face | null = null,
): Event => ({
  type: 'move',
  cards: [card(id, face)],
  destination: { type: 'player', player_id, position },
})
const toDiscard = (id: string, face: Face): Event => ({
  type: 'move',
  cards: [card(id, face)],
  destination: { type: 'discard' },
})
const turn = (player_id: string, state: 'draw' | 'play'): Event => ({
  type: 'turn',
  player_id,
  state,
})

const after = (...events: Event[]): TableState => events.reduce(fold, emptyTable)

/** Every card id in the table's places, however often it lies there. */
const cardsOf = (table: TableState): string[] =>
  [table.deck, table.discard, ...Object.values(table.hands), ...table.melds].flat().sort()

describe('a table folded from events', () => {
  it('begins a round with every card in the deck and nobody holding any', () => {
    const table = after(lobby, start)
    expect(table.phase).toBe('round')
    expect(table.deck).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
    expect(table.hands).toEqual({ ann: [], bob: [], cid: [] })
    expect(topOf(table.deck)).toBe('f')
  })

  it('keeps every card in exactly one place whatever moves', () => {
    const table = after(
      start,
      toHand('f', 'ann', 0),
      toHand('e', 'bob', 0, five),
      toHand('d', 'bob', 0, { suit: 'hearts', rank: '4' }),
      {
        type: 'move',
        cards: [card('e', five), card('d', five)],
        destination: { type: 'meld', meld_number: 0, position: 0 },
      },
      toDiscard('f', five),
      {
        type: 'move',
        cards: [card('e', five), card('f', five), card('d', five)],
        destination: { type: 'meld', meld_number: 0, position: 0 },
      },
    )
    expect(cardsOf(table)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
    expect(table.melds).toEqual([['e', 'f', 'd']])
  })

  it('puts a card where the server says it goes in a hand', () => {
    const table = after(start, toHand('f', 'bob', 0), toHand('e', 'bob', 1), toHand('d', 'bob', 1))
    expect(table.hands.bob).toEqual(['f', 'd', 'e'])
  })

  it('remembers a face once seen, though the server hides it when it is taken up', () => {
    const table = after(
      start,
      toDiscard('f', five),
      turn('ann', 'draw'),
      toHand('f', 'ann', 0, null),
    )
    expect(table.faces.f).toEqual(five)
    expect(table.hands.ann).toEqual(['f'])
  })

  it('knows the card taken from the discard pile until the next player is to draw', () => {
    const taken = after(
      start,
      toDiscard('f', five),
      turn('ann', 'draw'),
      toHand('f', 'ann', 0),
      turn('ann', 'play'),
    )
    expect(taken.taken).toBe('f')
    expect(fold(taken, turn('bob', 'draw')).taken).toBeNull()
  })

  it('does not take a card off the deck for one off the discard pile', () => {
    const table = after(
      start,
      toDiscard('f', five),
      turn('ann', 'draw'),
      toHand('e', 'ann', 0),
      turn('ann', 'play'),
    )
    expect(table.taken).toBeNull()
  })

  it('shows the deck card to whoever may look before drawing', () => {
    const table = after(start, {
      type: 'turn',
      player_id: 'bob',
      state: 'draw',
      deck_card: card('f', five),
    })
    expect(table.faces.f).toEqual(five)
  })

  it('replaces the deck and forgets the discards at a redeck', () => {
    const table = after(start, toDiscard('f', five), { type: 'redeck', new_card_ids: ['x', 'y'] })
    expect(table.deck).toEqual(['x', 'y'])
    expect(table.discard).toEqual([])
    expect(table.faces).toEqual({})
  })

  it('keeps the result on the table when the lobby follows it, until the visitor leaves it', () => {
    const over = after(
      start,
      { type: 'end', winner_id: 'ann', hand_values: { bob: 12, cid: 3 } },
      lobby,
    )
    expect(over.phase).toBe('over')
    expect(leaveRound(over).phase).toBe('lobby')
  })

  it('goes back to the lobby when a round is gone without an end', () => {
    expect(after(start, lobby).phase).toBe('lobby')
  })

  it('gives a spectator no seat, whichever player the server names', () => {
    expect(after({ ...start, spectator: true }).me).toBeNull()
    expect(after({ ...lobby, spectator: true }).me).toBeNull()
  })

  it('tells whose turn it is to the one whose turn it is', () => {
    expect(isMine(after(start, turn('bob', 'draw')))).toBe(true)
    expect(isMine(after(start, turn('ann', 'draw')))).toBe(false)
    expect(isMine(after({ ...start, spectator: true }, turn('bob', 'draw')))).toBe(false)
  })

  it('changes nothing it was given', () => {
    const before = after(start, toHand('f', 'bob', 0, five))
    const copy = structuredClone(before)
    fold(before, toDiscard('f', five))
    expect(before).toEqual(copy)
  })
})

describe('the card just drawn', () => {
  const deal = [start, toHand('f', 'bob', 0, five), toDiscard('e', five), turn('bob', 'draw')]

  it('is known from either pile, until the next turn', () => {
    expect(after(...deal).drawn).toBeNull()
    expect(after(...deal, toHand('d', 'bob', 1)).drawn).toBe('d')
    const taken = after(...deal, toHand('e', 'bob', 1), turn('bob', 'play'))
    expect([taken.drawn, taken.taken]).toEqual(['e', 'e'])
    expect(fold(taken, turn('cid', 'draw')).drawn).toBeNull()
  })
})
