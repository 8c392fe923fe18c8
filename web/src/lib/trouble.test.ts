import { describe, expect, it } from 'vitest'
import { ApiError } from './api'
import { findTrouble } from './trouble'

const fails = (code: string, status: number) => () =>
  Promise.reject(new ApiError(code, 'In its own words.', status))
const answers = () => Promise.resolve({})
const opens = (does: boolean) => () => Promise.resolve(does)

describe('a socket that does not open', () => {
  it('is nobody’s fault while the server is away', async () => {
    expect(await findTrouble(fails('unreachable', 0), opens(false))).toBe('')
    expect(await findTrouble(fails('failed', 502), opens(false))).toBe('')
  })

  it('is the proxy’s where HTTP gets through and sockets do not', async () => {
    expect(await findTrouble(answers, opens(false))).toContain('does not pass WebSocket upgrades')
  })

  it('is another table’s matter where sockets do open', async () => {
    expect(await findTrouble(answers, opens(true))).toBe('')
  })

  it('is the server’s where it takes the page for a stranger’s, or says why itself', async () => {
    expect(await findTrouble(fails('origin', 403), opens(false))).toBe('In its own words.')
    expect(await findTrouble(fails('try-again', 503), opens(true))).toBe('In its own words.')
  })
})
