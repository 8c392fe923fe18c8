import { describe, expect, it } from 'vitest'
import { capitalized, counted, listed } from './text'

describe('words', () => {
  it('are listed as people list them', () => {
    expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(listed)).toEqual([
      '',
      'a',
      'a and b',
      'a, b and c',
    ])
  })

  it('have an s where there is not one', () => {
    expect([0, 1, -1, 2].map((n) => counted(n, 'point'))).toEqual([
      '0 points',
      '1 point',
      '-1 point',
      '2 points',
    ])
  })

  it('begin a sentence with a capital', () => {
    expect(['your card', ''].map(capitalized)).toEqual(['Your card', ''])
  })
})
