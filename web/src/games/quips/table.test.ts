import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { announcer } from '../../lib/announcer.svelte'
import { server, stand } from '../../lib/fake-socket'
import { toasts } from '../../lib/toasts.svelte'
import type { ServerMessage } from './messages'
import { tokenFor } from './keepsakes'
import { everybody, gameState, greeting, person, players, playing, shown } from './recorded'
import { QuipsTable } from './table.svelte'

vi.mock('../../lib/socket.svelte', () => import('../../lib/fake-socket'))

const entries = new Map<string, string>()

beforeEach(() => {
  vi.useFakeTimers()
  entries.clear()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, text: string) => void entries.set(key, text),
  })
  vi.stubGlobal('document', { hidden: true, querySelector: () => null })
  vi.stubGlobal('fetch', () => Promise.reject(new Error('no server here')))
  announcer.lines = []
  toasts.clear()
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const tell = (...messages: ServerMessage[]): void => server.tell(...messages)

function seated(...messages: ServerMessage[]): QuipsTable {
  const table = new QuipsTable({ code: '123456', watch: false })
  server.connect()
  tell(...(messages.length > 0 ? messages : greeting(1)))
  return table
}

const queryOf = (): URLSearchParams => new URLSearchParams(server.options.path().split('?')[1])

describe('the line to a Quips table', () => {
  it('is greeted up to the cards one has played; a spectator, up to the state', () => {
    const table = seated(...greeting(1).slice(0, -1))
    expect(table.known).toBe(false)
    tell({ msg: 's_cardsplayed', selection: [] })
    expect(table.known).toBe(true)
    const watching = new QuipsTable({ code: '123456', watch: true })
    expect(server.options.path()).toBe(
      '/spectate?table=123456&extended=1&extras=story,scene,notice,deals&since=',
    )
    server.connect()
    tell(players(), gameState())
    expect([watching.known, watching.board.asked, watching.mine]).toEqual([true, '', false])
  })

  it('comes back by the token it was given, even after the page was closed', () => {
    seated()
    expect([queryOf().get('table'), queryOf().get('player_token')]).toEqual([
      '123456',
      'f'.repeat(32),
    ])
    expect(tokenFor('654321')).toBe('')
    new QuipsTable({ code: '123456', watch: false })
    expect(queryOf().get('player_token')).toBe('f'.repeat(32))
  })

  it('ends when the server rejects us, and says why', () => {
    const table = seated()
    tell({ msg: 's_rejectclient', reason: 'reject_afk', desc: 'You were away.' })
    expect([table.rejected, table.refusal?.why, server.closed]).toEqual([
      'reject_afk',
      'You were away.',
      true,
    ])
  })

  it('knows a table that is not there from one that is full', () => {
    const refused = (
      reason: 'reject_no_such_table' | 'reject_server_full',
    ): boolean | undefined => {
      const table = new QuipsTable({ code: '1', watch: true })
      server.connect()
      tell({ msg: 's_rejectclient', reason, desc: '' })
      return table.refusal?.exists
    }
    expect([refused('reject_no_such_table'), refused('reject_server_full')]).toEqual([false, true])
  })

  it('survives a refused message', async () => {
    const table = seated()
    tell({ msg: 's_error', code: 'no-skips', desc: 'No skipping here.' })
    expect([table.rejected, table.refusal, server.closed]).toEqual(['', null, false])
    await vi.waitFor(() => expect(toasts.list.at(-1)?.text).toBe('No skipping here.'))
  })
})

describe('talk', () => {
  const said = (author: string, body: string): ServerMessage => ({
    msg: 's_chat_msg',
    author,
    body,
  })

  it('is written down and said aloud, unless one does not want to hear it', () => {
    const table = seated()
    tell(said('Ann', 'Hello'))
    table.mute('Ann')
    tell(said('Ann', 'Are you there?'), said('Cid', 'Yes'))
    expect(table.log.heard.filter(({ by }) => by).map(({ text }) => text)).toEqual(['Yes'])
    expect(announcer.lines.some(({ text }) => text.includes('Are you there?'))).toBe(false)
    tell(players([person(0, 'Anna'), ...everybody.slice(1)]), said('Anna', 'It is me'))
    expect(table.log.heard.filter(({ by }) => by).map(({ text }) => text)).toEqual(['Yes'])
  })

  it('that is nothing but applause floats by for a moment', () => {
    const table = seated()
    table.block('Cid')
    tell(said('Ann', 'Bravo!'), said('Cid', 'Bravo!'), said('Ann', 'Bravo! Well done'))
    expect(table.cheers.map(({ by, text }) => [by, text])).toEqual([['Ann', 'Bravo!']])
    vi.advanceTimersByTime(3000)
    expect(table.cheers).toEqual([])
  })
})

describe('applause', () => {
  it('is called out by who plays and by who watches', () => {
    seated().applaud('Ouch!')
    expect(server.sent).toEqual([{ msg: 'c_applaud', cheer: 'Ouch!' }])
    const watching = new QuipsTable({ code: '123456', watch: true })
    server.connect()
    tell(players(), gameState())
    watching.applaud('Bravo!')
    expect(server.sent).toEqual([{ msg: 'c_applaud', cheer: 'Bravo!' }])
    tell({ msg: 's_chat_msg', author: '(a spectator)', body: 'Bravo!' })
    expect(watching.cheers.map(({ by, text }) => [by, text])).toEqual([['(a spectator)', 'Bravo!']])
  })
})

describe('running the table', () => {
  it('is done by what the control plane says now', () => {
    const asked: string[] = []
    vi.stubGlobal('fetch', (path: string) => {
      asked.push(path)
      return Promise.reject(new Error('no server here'))
    })
    seated()
    asked.length = 0
    const hosting = players([person(0, 'Ann', { host: false }), person(1, 'Bob', { host: true })])
    tell(hosting, hosting)
    expect(asked).toEqual(['/api/tables/123456'])
    tell(greeting(1)[2]!)
    expect(asked).toHaveLength(2)
  })
})

describe('a game', () => {
  it('is drawn from scenes and played by what they say', () => {
    const table = seated()
    server.tell(shown(playing()))
    expect([table.mine, table.board.asked, table.desk.name(3)]).toEqual([true, 'play', 'Ruff'])
    table.board.tap('slot 1')
    table.board.play()
    expect(server.sent).toEqual([{ type: 'extras_act', action: 'play', fields: { cards: [1] } }])
    tell(gameState({ stage: 'game_starting' }))
    expect([table.state.scene, table.mine]).toEqual([null, false])
  })
})

describe('being ready', () => {
  it('is said at once by who wants to play at once, and only once', () => {
    const table = new QuipsTable({ code: '123456', watch: false, eager: true })
    server.connect()
    const starting = gameState({ stage: 'game_starting', ready_up: true })
    tell(...greeting(1, starting), starting, players())
    expect(server.sent).toEqual([])
    server.tell(stand())
    expect(server.sent).toEqual([{ msg: 'c_ready_up', status: true }])
    table.ready(false)
    expect(server.sent).toHaveLength(2)
  })

  it('is said for the next game by who wants to play again', () => {
    const table = new QuipsTable({ code: '123456', watch: false })
    server.connect()
    const starting = gameState({ stage: 'game_starting', ready_up: true })
    tell(...greeting(1, gameState({ stage: 'game_end' })), players())
    server.tell(stand({ running: true, seated: true, free: true, runs: true }))
    // Nobody is missed who leaves while the winners are shown.
    expect(table.needed).toBe(false)
    table.again = true
    tell(starting)
    expect([server.sent, table.again]).toEqual([[{ msg: 'c_ready_up', status: true }], false])
    tell(gameState({ stage: 'playing' }))
    expect(table.needed).toBe(true)
  })
})
