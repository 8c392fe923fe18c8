import { afterEach, expect, it, vi } from 'vitest'
import { keepOpened, openedHere } from './opened'

afterEach(() => vi.unstubAllGlobals())

it('tables opened here are known here, the last fifty of them', () => {
  const entries = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, text: string) => void entries.set(key, text),
  })
  expect(openedHere('0')).toBe(false)
  for (let code = 0; code < 51; code++) keepOpened(String(code))
  expect(['0', '1', '50'].map(openedHere)).toEqual([false, true, true])
  keepOpened('1')
  keepOpened('51')
  expect(['1', '2'].map(openedHere)).toEqual([true, false])
})
