import { expect, test } from 'vitest'
import type { Scene } from '../../protocol/extras'
import { EMPTY, fold } from './state'

const SCENE: Scene = {
  viewer: 0,
  seats: [{ seat: 0 }],
  zones: [
    { id: 'a', label: 'A', look: 'pile' },
    { id: 'b', label: 'B', look: 'pile' },
  ],
  prompt: 'Draw.',
}

test('names of players in the match stay when they leave', () => {
  const lobby = {
    type: 'lobby' as const,
    host: null,
    min_seats: 2,
    max_seats: 4,
    settings: {},
    running: true,
    round: 1,
    starts_at: null,
  }
  const player = { place: 3, name: 'Ada', human: true, present: true, ready: false, seat: 1 }
  const first = fold(EMPTY, { ...lobby, players: [player] })
  const second = fold(first, { ...lobby, players: [] })
  expect(second.seats[1]?.name).toBe('Ada')
})

test('a new match forgets the scene of the last one', () => {
  const before = { ...EMPTY, scene: SCENE }
  expect(fold(before, { type: 'match', round: 2 })).toMatchObject({ scene: null, atTable: true })
})
