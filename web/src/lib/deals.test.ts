import { beforeEach, expect, test, vi } from 'vitest'
import { ended, evidenceOf, numberFor } from './deals'

beforeEach(() => {
  const kept = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  })
  return () => vi.unstubAllGlobals()
})

test('every match gets a number of its own, and the same one after a reconnection', () => {
  const first = numberFor('t-1', 'c1')
  expect(first).toMatch(/^[0-9a-f]{64}$/)
  expect(numberFor('t-1', 'c1')).toBe(first)
  expect(numberFor('t-2', 'c2')).not.toBe(first)
  expect(evidenceOf('t-1')).toEqual({ commitment: 'c1', nonces: [first] })
  expect(evidenceOf('t-3')).toBeUndefined()
})

test('the first commitment and the first end are what the server is held to', () => {
  numberFor('t-1', 'c1')
  numberFor('t-1', 'other')
  ended('t-1', 'h1')
  ended('t-1', 'other')
  ended('t-2', 'of a match that was only watched')
  expect(evidenceOf('t-1')).toMatchObject({ commitment: 'c1', head: 'h1' })
  expect(evidenceOf('t-1')?.nonces).toHaveLength(2)
  expect(evidenceOf('t-2')).toBeUndefined()
})

test('only the last matches are kept', () => {
  for (let n = 0; n < 60; n++) numberFor(`t-${n}`, 'c')
  expect(evidenceOf('t-9')).toBeUndefined()
  expect(evidenceOf('t-10')).toBeDefined()
})
