import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fits, forget, UNREADABLE } from './misfits'
import { list, string } from './shapes'
import { toasts } from './toasts.svelte'

const console = vi.spyOn(globalThis.console, 'error')

beforeEach(() => {
  console.mockImplementation(() => {})
  forget()
  toasts.clear()
})
afterEach(() => console.mockReset())

const texts = (): string[] => toasts.list.map(({ text }) => text)

describe('what the server sent', () => {
  it('is not mentioned where it fits', () => {
    expect(fits(string, 'a', 'name')).toBe(true)
    expect([console.mock.calls, texts()]).toEqual([[], []])
  })

  it('is reported where it does not: the problem for developers, a sentence for people', () => {
    expect(fits(list(string), ['a', 1], 'names')).toBe(false)
    expect(console.mock.calls).toEqual([['Ignored what the server sent: names[] is not a string']])
    expect(texts()).toEqual([UNREADABLE])
  })

  it('is reported once for each kind of problem', () => {
    fits(list(string), ['a', 1], 'names')
    toasts.clear()
    fits(list(string), ['a', 'b', 1], 'names')
    expect([console.mock.calls.length, texts()]).toEqual([1, []])
    fits(list(string), 1, 'names')
    expect([console.mock.calls.length, texts()]).toEqual([2, [UNREADABLE]])
  })

  it('is reported so often and no more', () => {
    for (let number = 0; number < 100; number++) fits(string, 1, `number ${number}`)
    expect(console.mock.calls.length).toBe(10)
  })
})
