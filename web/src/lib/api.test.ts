import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { api, ApiError } from './api'
import { forget, UNREADABLE } from './misfits'

const console = vi.spyOn(globalThis.console, 'error')

beforeEach(() => {
  console.mockImplementation(() => {})
  forget()
})
afterEach(() => {
  console.mockReset()
  vi.unstubAllGlobals()
})

/** What asking comes to where the server answers this. */
async function asked(status: number, body: string): Promise<unknown> {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(body, { status })))
  return api.me().catch((error: unknown) => error)
}

describe('an answer', () => {
  it('may say more than is known of', async () => {
    const me = { id: 'a', name: 'Ann', token: 'b', shoes: 2 }
    expect(await asked(200, JSON.stringify(me))).toEqual(me)
    expect(console).not.toHaveBeenCalled()
  })

  it('that is not as the API says is an error, and is reported', async () => {
    for (const body of ['{"id":"a","name":3,"token":"b"}', 'null', '<html>', '[]']) {
      expect(await asked(200, body)).toEqual(new ApiError('unreadable', UNREADABLE, 200))
    }
    expect(console.mock.calls[0]).toEqual([
      'Ignored what the server sent: answer to GET /api/me.name is not a string',
    ])
  })

  it('that refuses has a code and a sentence', async () => {
    const body = '{"error":{"code":"taken","message":"That name is taken."}}'
    expect(await asked(409, body)).toEqual(new ApiError('taken', 'That name is taken.', 409))
  })

  it('that refuses in another way is still an error for people', async () => {
    for (const body of ['<html>', 'null', '{"error":"no"}', '{"error":{"code":3}}']) {
      expect(await asked(502, body)).toMatchObject({ code: 'failed', status: 502 })
    }
    expect(console).not.toHaveBeenCalled()
  })

  it('that does not come is one, too', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('offline')))
    await expect(api.me()).rejects.toMatchObject({ code: 'unreachable', status: 0 })
  })
})
