import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { announcer } from '../../lib/announcer.svelte'
import { server } from '../../lib/fake-socket'
import { toasts } from '../../lib/toasts.svelte'
import type { ServerMessage } from './messages'
import { tokenFor } from './keepsakes'
import { everybody, gameState, greeting, hand, judging, person, players } from './recorded'
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
    expect(server.options.path()).toBe('/spectate?table=123456&extended=1&extras=story')
    server.connect()
    tell(players(), gameState())
    expect([watching.known, watching.asked, watching.mine]).toEqual([true, 'watch', false])
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

  it('survives a refused message', () => {
    const table = seated()
    tell({ msg: 's_error', code: 'no-skips', desc: 'No skipping here.' })
    expect([table.rejected, table.refusal, server.closed]).toEqual(['', null, false])
    expect(toasts.list.at(-1)?.text).toBe('No skipping here.')
  })
})

describe('choosing', () => {
  it('fills one gap, and a second thought replaces the first', () => {
    const table = seated()
    expect(table.whyNotPlay).not.toBe('')
    table.tap('w_duck')
    table.tap('w_soup')
    expect(table.fillings).toEqual([{ card: 'w_soup' }])
    table.play()
    expect(server.sent).toEqual([{ msg: 'c_playcards', cards: ['w_soup'] }])
  })

  it('fills several gaps in the order of choosing, and no more', () => {
    const table = seated(...greeting(1, gameState({ black_card: 'b_two' })))
    table.tap('w_band')
    table.play()
    expect(server.sent).toEqual([])
    table.tap('w_duck')
    table.tap('w_soup')
    table.play()
    expect(server.sent).toEqual([{ msg: 'c_playcards', cards: ['w_band', 'w_duck'] }])
    table.tap('w_band')
    expect(table.fillings).toEqual([{ card: 'w_duck' }])
  })

  it('plays what one writes, once there is something written, and no more than one has', () => {
    const table = seated(...greeting(1, gameState({ black_card: 'b_two' })))
    table.takeBlank()
    table.takeBlank()
    expect(table.fillings).toHaveLength(1)
    table.tap('w_soup')
    expect(table.whyNotPlay).toContain('Write something')
    const blank = table.fillings[0]
    if (blank && 'blank' in blank) table.fillIn(blank.blank, ' Über ')
    table.play()
    expect(server.sent).toEqual([{ msg: 'c_playcards', cards: ['custom_w5xiZXI=', 'w_soup'] }])
  })

  it('is over once played, and begins anew with the next card', () => {
    const table = seated()
    table.tap('w_soup')
    tell(hand({ hand: ['w_duck', 'w_band'] }), { msg: 's_cardsplayed', selection: ['w_soup'] })
    expect([table.fillings, table.asked]).toEqual([[], 'wait'])
  })

  it('keeps an upgraded card in its gap, and lets a discarded one go', () => {
    const table = seated()
    table.tap('w_duck')
    tell(hand({ hand: ['w_duck_2', 'w_soup', 'w_band'] }))
    expect([table.fillings, table.lifted]).toEqual([[{ card: 'w_duck_2' }], 'w_duck_2'])
    tell(hand({ hand: ['w_soup', 'w_band'] }))
    expect([table.fillings, table.lifted]).toEqual([[], null])
  })

  it('offers upgrades one can pay for, and discards one has', () => {
    const table = seated()
    expect(table.whyNotUpgrade('w_duck')).toContain('costs 2')
    expect(table.whyNotUpgrade('w_soup')).toContain('no better')
    tell({ msg: 's_auxclientdata', aux_points: 2 })
    table.upgrade('w_duck')
    table.discard('w_soup')
    tell(hand({ discards: 0 }))
    table.discard('w_soup')
    expect(server.sent).toEqual([
      { msg: 'c_upgradecard', card_id: 'w_duck' },
      { msg: 'c_discardcard', card_id: 'w_soup' },
    ])
  })
})

describe('judging', () => {
  it('is turning answers over one by one, and crowning one that lies open', () => {
    const table = seated(...greeting(0))
    tell(judging)
    vi.advanceTimersByTime(60_000)
    expect([table.turned.size, table.nextDown]).toEqual([0, 0])
    table.crown(0)
    table.turnNext()
    table.turn(2)
    expect([...table.turned]).toEqual([0, 2])
    expect(announcer.lines.map(({ text }) => text)).toContain('Answer 3: Über.')
    table.turnNext()
    expect([table.nextDown, table.looked]).toEqual([-1, 1])
    table.turn(2)
    table.crown(1)
    expect(server.sent).toEqual([
      { msg: 'c_turn', play_index: 0 },
      { msg: 'c_turn', play_index: 2 },
      { msg: 'c_turn', play_index: 1 },
      { msg: 'c_judgecards', play_index: 1 },
    ])
  })

  const turning = players([person(0, 'Ann', { turns: true }), ...everybody.slice(1)])

  it('is seen by everybody as the judge turns answers over, and not before', () => {
    const table = seated()
    tell(turning, judging)
    vi.advanceTimersByTime(60_000)
    expect(table.turned.size).toBe(0)
    tell({ msg: 's_turned', plays: [2] }, { msg: 's_turned', plays: [2, 0] })
    expect([[...table.turned], table.looked]).toEqual([[2, 0], 0])
    expect(announcer.lines.map(({ text }) => text)).toContain('Answer 3: Über.')
    expect(server.sent).toEqual([])
    // Another judge, whose client turns nothing over: what lies open stays so.
    tell({ msg: 's_turned', plays: [] }, { ...judging, judge: 2 })
    expect([...table.turned]).toEqual([2, 0])
    vi.advanceTimersByTime(30_000)
    expect(table.turned.size).toBe(3)
  })

  it('is found as far as the judge is by who comes in the middle of it', () => {
    const [info, , ...rest] = greeting(1, judging)
    const open: ServerMessage = { msg: 's_turned', plays: [1] }
    const table = seated(info!, turning, open, ...rest)
    expect([...table.turned]).toEqual([1])
    vi.advanceTimersByTime(60_000)
    expect([...table.turned]).toEqual([1])
    tell({ ...judging, stage: 'round_end', winning_play: 1, winning_player: 2 })
    expect(table.turned.size).toBe(3)
  })

  it('turns answers over by themselves where the judge does not, and shows the winner', () => {
    const table = seated()
    tell(judging)
    expect(table.turned.size).toBe(0)
    vi.advanceTimersByTime(1200)
    expect([...table.turned]).toEqual([0])
    vi.advanceTimersByTime(30_000)
    expect(table.turned.size).toBe(3)
    tell({ ...judging, stage: 'round_end', winning_play: 1, winning_player: 2 })
    expect(table.looked).toBe(1)
  })

  it('is not begun anew when the same state is told again', () => {
    const table = seated(...greeting(0))
    tell(judging)
    table.turnNext()
    tell({ ...judging, judge: 0 })
    expect(table.turned.size).toBe(1)
  })

  it('that somebody else takes over goes on by itself', () => {
    const table = seated(...greeting(0))
    tell(judging)
    table.turnNext()
    tell({ ...judging, judge: 2 })
    vi.advanceTimersByTime(30_000)
    expect(table.turned.size).toBe(3)
  })

  it('finds all answers open for who comes back in the middle of it', () => {
    expect(seated(...greeting(0, judging)).turned.size).toBe(3)
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
    expect(table.heard.filter(({ by }) => by).map(({ text }) => text)).toEqual(['Yes'])
    expect(table.talk.map(({ body }) => body)).toEqual(['Yes'])
    expect(announcer.lines.some(({ text }) => text.includes('Are you there?'))).toBe(false)
    tell(players([person(0, 'Anna'), ...everybody.slice(1)]), said('Anna', 'It is me'))
    expect(table.talk.map(({ body }) => body)).toEqual(['Yes'])
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
  it('is for whoever is host, and for who had it opened', () => {
    const table = seated()
    expect(table.host).toBe(false)
    tell(players([person(0, 'Ann', { host: false }), person(1, 'Bob', { host: true })]))
    expect(table.host).toBe(true)
    tell(players())
    expect(table.host).toBe(false)
    server.tell({
      type: 'extras_table',
      running: true,
      seated: true,
      free: false,
      runs: true,
      people: [],
      ended_by: '',
      queue: [],
      scores: { target: 0, standings: [], rounds: [], winners: [] },
    })
    expect(table.host).toBe(true)
  })

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

describe('a vote to skip', () => {
  it('is cast, and taken back', () => {
    const table = seated()
    table.voteSkip()
    tell(players([person(1, 'Bob', { voted_skip: true })]))
    table.voteSkip()
    expect(server.sent).toEqual([
      { msg: 'c_vote_skip', voted: true },
      { msg: 'c_vote_skip', voted: false },
    ])
  })
})

describe('being ready', () => {
  it('is said at once by who wants to play at once, and only once', () => {
    const table = new QuipsTable({ code: '123456', watch: false, eager: true })
    server.connect()
    const starting = gameState({ stage: 'game_starting', ready_up: true })
    tell(...greeting(1, starting), starting, players())
    expect(server.sent).toEqual([{ msg: 'c_ready_up', status: true }])
    table.ready()
    expect(server.sent).toHaveLength(2)
  })
})
