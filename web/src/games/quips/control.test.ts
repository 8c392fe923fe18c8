import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { TableInfo } from '../../lib/api'
import { toasts } from '../../lib/toasts.svelte'
import { Control } from './control.svelte'

/** What was asked of the control plane, and what it answers. */
let asked: { method: string; path: string; body: unknown }[]
let answer: { status: number; body: unknown }

const table: TableInfo = {
  code: '123456',
  id: 'table',
  game: 'quips',
  public: false,
  players: [],
  seats: { min: 3, max: 20 },
  running: false,
  round: 0,
  settings: { max_points: 3 },
  opened: 0,
  locked: false,
  banned: false,
  packs: [],
  brought: [],
  fairness: { replay: null, commitment: null },
  host: null,
  yours: true,
  queue: 0,
  name: '',
  password: false,
}

beforeEach(() => {
  asked = []
  answer = { status: 200, body: table }
  vi.stubGlobal(
    'fetch',
    (path: string, { method, body }: { method: string; body: string | null }) => {
      asked.push({ method, path, body: body && JSON.parse(body) })
      return Promise.resolve(Response.json(answer.body, { status: answer.status }))
    },
  )
  toasts.clear()
})

afterEach(() => vi.unstubAllGlobals())

async function opened(): Promise<Control> {
  const desk = new Control('123456')
  await vi.waitFor(() => expect(desk.info).not.toBe(null))
  asked = []
  return desk
}

describe('the desk of a table', () => {
  it('knows its settings, and what is usual until it does', async () => {
    expect(new Control('123456').setting('max_points', 8)).toBe(8)
    const desk = await opened()
    expect([desk.setting('max_points', 8), desk.setting('other', 1)]).toEqual([3, 1])
  })

  it('locks, and puts people out by their place', async () => {
    const desk = await opened()
    answer.body = { ...table, locked: true }
    await desk.lock(true)
    await desk.putOut(4, true)
    expect(desk.info?.locked).toBe(true)
    expect(asked).toEqual([
      { method: 'PUT', path: '/api/tables/123456/lock', body: { locked: true } },
      { method: 'POST', path: '/api/tables/123456/kick', body: { place: 4, ban: true } },
    ])
  })

  it('changes one setting at a time', async () => {
    const desk = await opened()
    answer.body = { ...table, settings: { max_points: 5 } }
    await desk.configure(['max_points'], 5)
    expect(desk.setting('max_points', 8)).toBe(5)
    expect(asked).toEqual([
      {
        method: 'PUT',
        path: '/api/tables/123456/settings',
        body: { settings: { max_points: 5 } },
      },
    ])
  })

  it('shares packs, and takes what another table shares', async () => {
    const desk = await opened()
    await desk.sharePack('mine', true)
    const brought = [
      { name: 'a', shared: true },
      { name: 'b', shared: false },
      { name: 'c', shared: true },
    ]
    answer.body = { ...table, brought }
    expect(await desk.takePacks('654321')).toBe(2)
    expect(asked).toEqual([
      { method: 'PUT', path: '/api/tables/123456/packs', body: { name: 'mine', shared: true } },
      { method: 'GET', path: '/api/tables/654321', body: null },
      { method: 'POST', path: '/api/tables/123456/packs', body: { name: 'a', table: '654321' } },
      { method: 'POST', path: '/api/tables/123456/packs', body: { name: 'c', table: '654321' } },
    ])
    answer.body = { ...table, brought: [] }
    expect(await desk.takePacks('654321')).toBe(0)
    expect(toasts.list.map(({ text }) => text)).toEqual(['That table shares no packs.'])
  })

  it('brings packs that are JSON, and says what the server does not like about them', async () => {
    const desk = await opened()
    expect(await desk.bringPack(new File(['{"id": "a"}'], 'My pack.JSON'))).toBe(true)
    expect(asked).toEqual([
      {
        method: 'POST',
        path: '/api/tables/123456/packs',
        body: { name: 'My pack', pack: { id: 'a' } },
      },
    ])
    expect(await desk.bringPack(new File(['not JSON'], 'a.json'))).toBe(false)
    expect(asked).toHaveLength(1)
    answer = { status: 400, body: { error: { code: 'bad-content', message: 'Card 1 is wrong.' } } }
    expect(await desk.bringPack(new File(['{}'], 'a.json'))).toBe(false)
    expect(toasts.list.map(({ text }) => text)).toEqual(['a.json is not JSON.', 'Card 1 is wrong.'])
    expect(desk.info).toEqual(table)
  })
})
