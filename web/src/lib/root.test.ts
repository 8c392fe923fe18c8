import { describe, expect, it } from 'vitest'
import { rooted, rootOf, unrooted } from './root'

describe('the path all addresses begin with', () => {
  it('is what the server wrote into the page, without the slash at its end', () => {
    expect(rootOf('/')).toBe('')
    expect(rootOf('/parlour/')).toBe('/parlour')
    expect(rootOf('/games/parlour/')).toBe('/games/parlour')
    expect(rootOf('./')).toBe('')
    expect(rootOf(undefined)).toBe('')
  })

  it('is put before a path once, and taken off again', () => {
    for (const base of ['', '/parlour', '/games/parlour']) {
      for (const path of ['/', '/table/rummy/123456', '/table/rummy/123456?watch', '/parlours']) {
        const there = rooted(path, base)
        expect(there).toBe(base + path)
        expect(rooted(there, base)).toBe(there)
        expect(unrooted(there, base)).toBe(path)
        expect(unrooted(path, base)).toBe(path)
      }
    }
    expect(unrooted('/parlour', '/parlour')).toBe('/')
  })
})
