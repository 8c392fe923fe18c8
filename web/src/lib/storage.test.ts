import { afterEach, describe, expect, it, vi } from 'vitest'
import { readStored, store } from './storage'

const kept = (): Pick<Storage, 'getItem' | 'setItem'> => {
  const entries = new Map<string, string>()
  return {
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, text) => void entries.set(key, text),
  }
}

afterEach(() => vi.unstubAllGlobals())

describe('what is kept in the browser', () => {
  it('is read as it was written, where it was written', () => {
    vi.stubGlobal('localStorage', kept())
    vi.stubGlobal('sessionStorage', kept())
    store('a', { n: [1] })
    store('b', 2, 'session')
    expect([readStored('a'), readStored('b', 'session')]).toEqual([{ n: [1] }, 2])
    expect([readStored('a', 'session'), readStored('b')]).toEqual([null, null])
  })

  it('is nothing where it was spoilt or the browser keeps nothing', () => {
    vi.stubGlobal('localStorage', { ...kept(), getItem: () => '{' })
    expect([readStored('a'), readStored('a', 'local', [])]).toEqual([null, []])
    vi.stubGlobal('localStorage', undefined)
    store('a', 1)
    expect(readStored('a', 'local', 'none')).toBe('none')
  })
})
