import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  keepLanguage,
  keepPassword,
  keepToken,
  passwordFor,
  storedLanguage,
  tokenFor,
} from './keepsakes'

const entries = new Map<string, string>()

beforeEach(() => {
  entries.clear()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, text: string) => void entries.set(key, text),
  })
  vi.stubGlobal('navigator', { language: 'de-AT' })
})

describe('what the browser keeps of tables', () => {
  it('is one token a table, the newest, of the last twelve tables', () => {
    for (let code = 0; code < 13; code++) keepToken(String(code), `token ${code}`)
    keepToken('12', 'newer')
    expect(['0', '1', '12'].map(tokenFor)).toEqual(['', 'token 1', 'newer'])
    expect(passwordFor('12')).toBe('')
    keepPassword('12', 'secret')
    expect([passwordFor('12'), tokenFor('12')]).toEqual(['secret', 'newer'])
  })

  it('is nothing where something else was written', () => {
    entries.set('parlour.quips.tokens', '[["a"], 3, ["b", 4], ["c", "fine"]]')
    expect(['a', 'b', 'c'].map(tokenFor)).toEqual(['', '', 'fine'])
    entries.set('parlour.quips.tokens', '{"a": "b"}')
    expect(tokenFor('a')).toBe('')
  })

  it('is the language chosen, or else the browser’s', () => {
    expect(storedLanguage()).toBe('de-AT')
    keepLanguage('en')
    expect(storedLanguage()).toBe('en')
  })
})
