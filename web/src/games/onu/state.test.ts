import { expect, it } from 'vitest'
import type { Scene } from '../../protocol/extras'
import { after, dealt, lobby, welcome } from './recorded'
import { emptyTable, fold, nameOf, phaseOf, putAway, resultOf, type TableState } from './state'

it('players are called by the name they have now', () => {
  const { players } = lobby()
  const renamed = players.map((one) => (one.name === 'Ben' ? { ...one, name: 'Benno' } : one))
  expect(nameOf(after(lobby({ players: renamed })), 1)).toBe('Benno')
  // Who has left keeps the name they had.
  expect(nameOf(after(lobby({ players: players.slice(0, 1) })), 1)).toBe('Ben')
})

it('a game that is over is shown until it is put away or another begins', () => {
  expect(phaseOf(after())).toBe('game')
  const over = after({ type: 'ended', winner: 1, how: 'won' })
  expect(phaseOf(over)).toBe('over')
  expect(resultOf(over)).toMatchObject({ winners: [1], what: 'Cards left' })
  const scene = { zones: [{ seat: 0, things: [] }] } as unknown as Scene
  expect(resultOf({ ...over, scene })).toMatchObject({ note: 'Ben played the last card.' })
  expect(phaseOf(putAway(over))).toBe('lobby')
  expect(phaseOf(fold(putAway(over), { ...dealt(), type: 'dealt' }))).toBe('game')
  // Told again after a reconnection, it stays put away.
  expect(phaseOf(fold(putAway(over), dealt({ over: true, winner: 1 })))).toBe('lobby')
})

it('newcomers are spared the end of a game they were not in', () => {
  const seen = (place: number | null, players = lobby().players): TableState =>
    [welcome(place), lobby({ players }), dealt({ over: true, winner: 1 })].reduce(fold, emptyTable)
  expect(phaseOf(seen(0))).toBe('over')
  expect(phaseOf(seen(null))).toBe('over')
  const newcomer = { ...lobby().players[0]!, place: 7, user: 'page:7' }
  expect(phaseOf(seen(7, [...lobby().players, newcomer]))).toBe('lobby')
})
