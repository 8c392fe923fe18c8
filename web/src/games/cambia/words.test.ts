import { describe, expect, it } from 'vitest'
import type { Result } from './messages'
import { ended, inGame, peeked } from './recorded'
import { aftermath, outcome, saidAloud, waitingFor, written } from './words'

const over = (changes: Partial<Result> = {}) => inGame(ended(changes)).game!

describe('what is said aloud', () => {
  it('is what only this player has seen', () => {
    const { game } = inGame()
    expect(saidAloud(peeked, game, 'ann')).toBe('Your card 2 is ten of hearts.')
    const card1 = { id: 'a0', rank: 'O' as const, suit: 'R' as const, idx: 0 }
    const user = { id: 'ann' }
    const cards = { cards: [card1], card1, card2: null }
    const first = { type: 'private_initial_cards' as const, user, ...cards }
    expect(saidAloud(first, game, 'ann')).toBe('Your first cards: joker.')
  })

  it('is what others say, but not oneself', () => {
    const chat = { type: 'chat' as const, userID: 'bob', username: 'Bob', msg: 'Hi', ts: 0 }
    expect(saidAloud(chat, null, 'ann')).toBe('Bob says: Hi')
    expect(saidAloud(chat, null, 'bob')).toBe('')
  })
})

it('writes cards as scenes do', () => {
  expect(written({ rank: 'T', suit: 'C' })).toBe('10♣')
  expect(written({ rank: 'O', suit: 'B' })).toBe('joker')
  expect(written({})).toBeNull()
})

describe('the end', () => {
  it('names the winner, and what calling cost', () => {
    expect(outcome(over(), 'ann')).toBe('Bob won with 4 points.')
    expect(aftermath(over(), 'ann')).toBe('You called Cambia without the lowest hand.')
  })

  it('may be shared, and may have no winner', () => {
    expect(outcome(over({ winners: ['bob', 'ann'] }), 'ann')).toBe(
      'Bob and you share the win with 4 points.',
    )
    expect(outcome(over({ winner: null, winners: [] }), 'ann')).toBe(
      'The game ended without a winner.',
    )
  })

  it('of a circuit names its champions', () => {
    const circuit = { totals: { ann: 9, bob: 4, cid: 100 }, over: true, champions: ['bob'] }
    expect(aftermath(over({ circuit, caller: null, penaltyApplied: false }), 'ann')).toBe(
      'The circuit is over: Bob won it.',
    )
  })
})

describe('whom a lobby waits for', () => {
  const ann = { name: 'Ann', you: true, ready: false }
  const bob = { name: 'Bob', you: false, ready: false }
  const cid = { name: 'Cid', you: false, ready: false }

  it('are all who are not ready, oneself last', () => {
    expect(waitingFor([ann, bob, cid])).toBe('Waiting for Bob, Cid and you.')
    expect(waitingFor([{ ...ann, ready: true }, bob])).toBe('Waiting for Bob.')
    expect(waitingFor([ann, { ...bob, ready: true }])).toBe('The others wait for you.')
  })
})
