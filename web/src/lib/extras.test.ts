import { describe, expect, it } from 'vitest'
import { extrasIn, missedOf, placeInLine, withExtras, type TableExtras } from './extras'

const table = (queue: TableExtras['queue']): TableExtras => ({
  type: 'extras_table',
  running: false,
  seated: false,
  free: false,
  runs: false,
  people: [],
  ended_by: '',
  queue,
  scores: { target: 0, standings: [], rounds: [], winners: [] },
  timed: false,
})

describe('extras', () => {
  it('are told from messages of the game, which need not have a type', () => {
    expect(extrasIn(table([]))).toEqual(table([]))
    for (const message of [{ type: 'lobby' }, { event: 'extras' }, null, 'extras_', 3]) {
      expect(extrasIn(message)).toBeNull()
    }
  })

  it('are asked for behind whatever the address has already', () => {
    expect(withExtras('/ws/123')).toBe('/ws/123?extras=story,notice,deals')
    expect(withExtras('/rummy?table=1')).toBe('/rummy?table=1&extras=story,notice,deals')
  })

  it('say where one stands in line', () => {
    expect(placeInLine(null)).toBe(0)
    expect(placeInLine(table([{ name: 'Ann' }]))).toBe(0)
    expect(placeInLine(table([{ name: 'Ann' }, { name: 'Ben', you: true }]))).toBe(2)
  })
})

describe('what was missed', () => {
  it('is everything where nothing is listed yet, as after a reload', () => {
    expect(missedOf(['a', 'b'], [])).toEqual(['a', 'b'])
  })

  it('is what follows the last line listed', () => {
    expect(missedOf(['a', 'b', 'c', 'd'], ['a', 'b'])).toEqual(['c', 'd'])
    expect(missedOf(['a', 'b'], ['a', 'b'])).toEqual([])
  })

  it('is found behind the lines of an earlier match', () => {
    expect(missedOf(['a', 'b', 'c'], ['x', 'y', 'a', 'b'])).toEqual(['c'])
    expect(missedOf(['a', 'b'], ['x', 'y'])).toEqual(['a', 'b'])
  })

  it('is found where the beginning of the match is not listed', () => {
    expect(missedOf(['a', 'b', 'c', 'd'], ['b', 'c'])).toEqual(['d'])
  })

  it('is found behind lines that only the list has, as when the connection was lost', () => {
    expect(missedOf(['a', 'b', 'c'], ['a', 'b', 'lost', 'back'])).toEqual(['c'])
    expect(missedOf(['a', 'b', 'c'], ['a', 'came', 'b'])).toEqual(['c'])
  })

  it('is not mistaken where lines repeat', () => {
    expect(missedOf(['a', 'b', 'a', 'b', 'c'], ['a', 'b'])).toEqual(['c'])
    expect(missedOf(['n', 'a', 'b', 'a', 'b', 'c'], ['n', 'a', 'b'])).toEqual(['a', 'b', 'c'])
  })
})
