import { describe, expect, it } from 'vitest'
import { asked, lookedGone, snappable, targets } from './hints'
import type { Message } from './messages'
import {
  after,
  called,
  dealt,
  drew,
  inGame,
  king,
  kingLooked,
  lobbyOf,
  saw,
  turn,
} from './recorded'
import type { Game, TableState } from './state'

const game = (table: TableState): Game => {
  if (!table.game) throw new Error('no game')
  return table.game
}
const all = (owner: string): string[] => [0, 1, 2, 3].map((idx) => owner + idx)
const choice = (special: 'peek_self' | 'peek_other' | 'swap_blind' | 'swap_peek'): Message => ({
  ...(king as Message & { type: 'player_special_choice' }),
  special,
})

describe('what is asked of a player', () => {
  it('is the turn’s step in their turn, and to wait in others’', () => {
    expect(asked(game(inGame()), 'ann')).toBe('draw')
    expect(asked(game(inGame(drew('new'), saw)), 'ann')).toBe('place')
    expect(asked(game(inGame(turn('bob'))), 'ann')).toBe('wait')
    expect(asked(game(inGame()), null)).toBe('wait')
  })
})

describe('the cards to choose from', () => {
  it('are one’s own, the others’, or everybody’s, as the ability has it', () => {
    expect([...targets(game(inGame(choice('peek_self'))), 'ann')]).toEqual(all('a'))
    expect([...targets(game(inGame(choice('peek_other'))), 'ann')]).toEqual([
      ...all('b'),
      ...all('c'),
    ])
    expect(targets(game(inGame(choice('swap_peek'))), 'ann').size).toBe(12)
    expect(targets(game(inGame(choice('swap_peek'))), 'bob').size).toBe(0)
  })

  it('leave out the caller’s hand in a blind swap, but not for a King’s look', () => {
    expect(targets(game(inGame(called('bob'), choice('swap_blind'))), 'ann').has('b0')).toBe(false)
    expect(targets(game(inGame(called('bob'), choice('swap_peek'))), 'ann').has('b0')).toBe(true)
  })
})

describe('what may be snapped', () => {
  it('is one’s own hand at any time, and others’ where the house allows it', () => {
    expect([...snappable(game(inGame(turn('bob'))), 'ann')]).toEqual(all('a'))
    const open = after(lobbyOf('in_game'), dealt({}, { allowOpponentSnapping: true }))
    expect(snappable(game(open), 'ann').size).toBe(12)
    expect(snappable(game(open), null).size).toBe(0)
  })

  it('is nothing before play, and nothing of or for whoever called', () => {
    expect(snappable(game(after(dealt({ preGameActive: true }))), 'ann').size).toBe(0)
    const table = after(dealt({}, { allowOpponentSnapping: true }), called('bob'))
    expect(snappable(game(table), 'bob').size).toBe(0)
    expect(snappable(game(table), 'ann').has('b0')).toBe(false)
  })
})

it('notices when a card a King has looked at was snapped away', () => {
  const looked = inGame(drew('new'), saw, king, kingLooked)
  expect(lookedGone(game(looked))).toBe(false)
  const gone = inGame(drew('new'), saw, king, kingLooked, {
    type: 'player_snap_success',
    user: { id: 'bob' },
    card: { id: 'b2', rank: 'A', suit: 'D', value: 1, idx: 2, user: { id: 'bob' } },
  })
  expect(lookedGone(game(gone))).toBe(true)
})
