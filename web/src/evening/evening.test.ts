import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { EveningInfo } from '../protocol/evenings'

const stored = new Map<string, string>()
const KEY = 'parlour.evening'

/** A request of the page; the test answers it. */
interface Asked {
  path: string
  answer: (status: number, body: unknown) => void
}
let asked: Asked[]

const night = (code: string, you = true): EveningInfo => {
  const ann = { number: 0, name: 'Ann', host: true, you, left: false, vote: '' }
  const members = [{ ...ann, points: 0, wins: 0, played: 0 }]
  return { code, members, table: null, tables: 0, host_away: false, until: 1 }
}
const over = { error: { code: 'no-such-evening', message: 'It is over.' } }

async function opened(code = '') {
  if (code) stored.set(KEY, JSON.stringify(code))
  vi.resetModules()
  return (await import('./evening.svelte')).evening
}

beforeEach(() => {
  stored.clear()
  asked = []
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  })
  vi.stubGlobal(
    'fetch',
    (path: string) =>
      new Promise((resolve) => {
        const answer = (status: number, body: unknown): void =>
          resolve({ ok: status < 300, status, json: () => Promise.resolve(body) })
        asked.push({ path, answer })
      }),
  )
})

describe('a late answer', () => {
  it('about another game night is not shown', async () => {
    const evening = await opened('BCDFGH')
    const late = evening.refresh()
    evening.look('KLMNPQ')
    asked[0]!.answer(200, night('BCDFGH'))
    await late
    expect(evening.info).toBeNull()
    const now = evening.refresh()
    asked[1]!.answer(200, night('KLMNPQ'))
    await now
    expect(evening.info?.code).toBe('KLMNPQ')
  })

  it('to a vote at another game night is not shown', async () => {
    const evening = await opened('BCDFGH')
    const late = evening.vote('onu')
    evening.look('KLMNPQ')
    asked[0]!.answer(200, night('BCDFGH'))
    await late
    expect(evening.info).toBeNull()
  })

  it('that an old game night is over does not end the new one', async () => {
    const evening = await opened('BCDFGH')
    const late = evening.refresh()
    const opening = evening.open()
    asked[1]!.answer(201, night('KLMNPQ'))
    await opening
    asked[0]!.answer(404, over)
    await late
    expect([evening.code, evening.gone, evening.me?.name]).toEqual(['KLMNPQ', false, 'Ann'])
    expect(stored.get(KEY)).toBe('"KLMNPQ"')
  })

  it('to leaving does not take the visitor out of the next one', async () => {
    const evening = await opened('BCDFGH')
    const late = evening.leave()
    const opening = evening.open()
    asked[1]!.answer(201, night('KLMNPQ'))
    await opening
    asked[0]!.answer(200, night('BCDFGH'))
    await late
    expect(evening.code).toBe('KLMNPQ')
    expect(stored.get(KEY)).toBe('"KLMNPQ"')
  })
})

describe('a game night', () => {
  it('that is over is forgotten', async () => {
    const evening = await opened('BCDFGH')
    const asking = evening.refresh()
    asked[0]!.answer(404, over)
    await asking
    expect(evening.gone).toBe(true)
    expect(stored.get(KEY)).toBe('""')
  })

  it('is not forgotten because the server fails once', async () => {
    const evening = await opened('BCDFGH')
    const asking = evening.refresh()
    asked[0]!.answer(503, { error: { code: 'restarting', message: 'Wait.' } })
    await asking
    expect([evening.code, evening.gone]).toEqual(['BCDFGH', false])
    expect(stored.get(KEY)).toBe('"BCDFGH"')
  })

  it('is not forgotten because of a code that does not exist', async () => {
    const evening = await opened('BCDFGH')
    evening.look('XXXXXX')
    const asking = evening.refresh()
    asked[0]!.answer(404, over)
    await asking
    expect(evening.gone).toBe(true)
    evening.lookAway()
    expect([evening.code, evening.gone]).toEqual(['BCDFGH', false])
  })

  it('is kept when it is joined, and forgotten when it is left', async () => {
    const evening = await opened()
    evening.look('BCDFGH')
    const joining = evening.join()
    expect(asked[0]!.path).toMatch(/\/api\/evenings\/BCDFGH\/members$/)
    asked[0]!.answer(201, night('BCDFGH'))
    await joining
    evening.lookAway()
    expect([evening.code, stored.get(KEY)]).toEqual(['BCDFGH', '"BCDFGH"'])
    const leaving = evening.leave()
    asked[1]!.answer(200, night('BCDFGH', false))
    await leaving
    expect([evening.code, evening.info, stored.get(KEY)]).toEqual(['', null, '""'])
  })
})
