import { describe, expect, it } from 'vitest'
import type { ServerMessage } from './messages'
import { everybody, gameState, greeting, person, playing } from './recorded'
import { emptyTable, fold, ranking, resultOf, type TableState } from './state'

const after = (...messages: ServerMessage[]): TableState => messages.reduce(fold, emptyTable)

describe('the fold', () => {
  it('adds a greeting up to the table as it stands', () => {
    const state = after(...greeting(1))
    expect([state.me, state.name, state.token]).toEqual([1, 'Bob', 'f'.repeat(32)])
    expect([state.players, state.packs[0]?.name]).toEqual([everybody, 'A small pack'])
    expect(state.game.stage).toBe('playing')
  })

  it('forgets what was drawn when the table is back in the lobby', () => {
    const drawn = { ...after(...greeting(1)), scene: playing() }
    expect(fold(drawn, gameState()).scene).not.toBe(null)
    expect(fold(drawn, gameState({ stage: 'game_starting' })).scene).toBe(null)
  })

  it('is not changed by messages it does not know', () => {
    const state = after(...greeting(1))
    expect(fold(state, { msg: 's_later' } as unknown as ServerMessage)).toBe(state)
  })
})

describe('who is ahead', () => {
  it('has the highest score, and equals are as they came', () => {
    const list = [
      person(0, 'Ann', { score: 1 }),
      person(1, 'Bob', { score: 3 }),
      person(2, 'Cid', { score: 1 }),
    ]
    expect(ranking(list).map(({ name }) => name)).toEqual(['Bob', 'Ann', 'Cid'])
    expect(list[0]?.name).toBe('Ann')
  })

  it('is the result once the game has ended, and not before', () => {
    const scene = playing()
    const seats = scene.seats.map((one) => (one.seat === 3 ? { ...one, marks: ['winner'] } : one))
    const drawn = { ...after(...greeting(1)), scene: { ...scene, seats } }
    expect(resultOf(drawn)).toBe(null)
    const ended = fold(drawn, gameState({ stage: 'game_end' }))
    expect(resultOf(ended)).toEqual({
      winners: [3],
      points: { 0: 0, 1: 1, 2: 2, 3: 3 },
      what: 'Points',
    })
  })
})
