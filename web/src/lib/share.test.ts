import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { copyText, isLocal } from './share'

let copied: string[]
let page: EventTarget & { execCommand?: (command: string) => boolean }

beforeEach(() => {
  copied = []
  page = new EventTarget()
  vi.stubGlobal('document', page)
})

afterEach(() => vi.unstubAllGlobals())

/** As browsers do it: the command asks the page what to copy. */
function oldWay(): boolean {
  const data = { setData: (_: string, text: string) => copied.push(text) }
  const event = Object.assign(new Event('copy', { cancelable: true }), { clipboardData: data })
  return !page.dispatchEvent(event)
}

describe('copying', () => {
  it('takes the clipboard where there is one', async () => {
    vi.stubGlobal('navigator', { clipboard: { writeText: async (t: string) => copied.push(t) } })
    expect(await copyText('123456', null)).toBe(true)
    expect(copied).toEqual(['123456'])
  })

  it('goes the old way over plain HTTP, with the field selected', async () => {
    vi.stubGlobal('navigator', {})
    page.execCommand = oldWay
    const field = { focus: vi.fn(), select: vi.fn() } as unknown as HTMLInputElement
    expect(await copyText('123456', field)).toBe(true)
    expect([copied, vi.mocked(field.select).mock.calls.length]).toEqual([['123456'], 1])
    // Nothing listens afterwards: what the visitor copies themselves stays theirs.
    oldWay()
    expect(copied).toHaveLength(1)
  })

  it('says so where no way leads there', async () => {
    vi.stubGlobal('navigator', {})
    page.execCommand = () => false
    expect(await copyText('123456', null)).toBe(false)
  })
})

describe('a link', () => {
  it('to this machine is of no use to others', () => {
    expect(['localhost', '127.0.0.1', '[::1]', 'a.localhost'].map(isLocal)).not.toContain(false)
    expect(['192.168.1.7', 'example.org', 'localhost.example'].map(isLocal)).not.toContain(true)
  })
})
