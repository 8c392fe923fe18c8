import { afterEach, describe, expect, it, vi } from 'vitest'
import { person } from './recorded'
import { afterRenames, hears, keepBlocked, readBlocked, toggled } from './silence'

afterEach(() => vi.unstubAllGlobals())

describe('whom one does not want to hear', () => {
  it('is not heard, here or anywhere', () => {
    const silence = { muted: ['Ann'], blocked: ['Bob'] }
    expect(['Ann', 'Bob', 'Cid'].map((name) => hears(silence, name))).toEqual([false, false, true])
    expect(toggled(toggled([], 'Ann'), 'Bob')).toEqual(['Ann', 'Bob'])
    expect(toggled(['Ann', 'Bob'], 'Ann')).toEqual(['Bob'])
  })

  it('is not heard under another name either', () => {
    const silence = { muted: ['Ann'], blocked: ['Bob'] }
    const before = [person(0, 'Ann'), person(1, 'Bob'), person(2, 'Cid')]
    const renamed = [person(0, 'Anna'), person(1, 'Bobby'), person(2, 'Sid')]
    const after = afterRenames(silence, before, renamed)
    expect(after).toEqual({ muted: ['Ann', 'Anna'], blocked: ['Bob', 'Bobby'] })
    expect(afterRenames(after, renamed, renamed)).toBe(after)
  })

  it('does not change because somebody with another id has the name now', () => {
    const silence = { muted: ['Ann'], blocked: [] }
    expect(afterRenames(silence, [person(0, 'Ann')], [person(5, 'Zoe')])).toBe(silence)
  })

  it('is kept in this browser, the last two hundred', () => {
    const entries = new Map<string, string>()
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => entries.get(key) ?? null,
      setItem: (key: string, text: string) => void entries.set(key, text),
    })
    keepBlocked(Array.from({ length: 201 }, (_, n) => `n${n}`))
    expect([readBlocked().length, readBlocked()[0]]).toEqual([200, 'n1'])
    entries.set('parlour.quips.blocked', '{"a": 1}')
    expect(readBlocked()).toEqual([])
  })
})
