import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { announcer } from './announcer.svelte'
import { server, stand } from './fake-socket'
import type { Noted, Said } from './extras'
import { LiveTable, type News, type ServerError } from './live-table.svelte'
import { refusalOf } from './refusal'
import { forget, UNREADABLE } from './misfits'
import { messages, oneOf, string, struct, type Shape } from './shapes'
import { router } from './router.svelte'
import { toasts } from './toasts.svelte'
import { visitor } from './visitor.svelte'

vi.mock('./socket.svelte', () => import('./fake-socket'))

/** A made-up game: cards are laid one after the other, and `stands` ends a greeting. */
type Message =
  | { type: 'clear' }
  | { type: 'card'; card: string }
  | { type: 'stands' }
  | { type: 'error'; message: string }

const shape: Shape<Message> = messages('type', {
  card: struct({ type: oneOf('card'), card: string }),
  error: struct({ type: oneOf('error'), message: string }),
})

class TestTable extends LiveTable<string[], Message, string> {
  mine = false
  readonly calls: string[] = []
  choice: string | null = null

  constructor(code = '123456', watch = false, eager = false) {
    super({ code, watch, eager, path: `/test?table=${code}`, empty: [], shape })
  }

  protected endsGreeting({ type }: Message): boolean {
    return type === 'stands'
  }

  protected fold(cards: string[], message: Message): string[] {
    if (message.type === 'clear') return []
    return message.type === 'card' ? [...cards, message.card] : cards
  }

  protected errorIn(message: Message): ServerError | null {
    return message.type === 'error' ? message : null
  }

  protected news(before: string[], message: Message, after: string[]): News {
    if (message.type !== 'card') return {}
    const written = `${message.card}: ${before.length} → ${after.length}`
    return message.card === 'chat' ? { written, by: 'Ann' } : { written, aloud: message.card }
  }

  protected override pause(message: Message): number {
    return message.type === 'card' ? 100 : 0
  }

  protected override settle(): void {
    if (this.choice && !this.state.includes(this.choice)) this.choice = null
  }

  protected override connected(): void {
    this.calls.push('connected')
  }

  protected override greeted(before: string[]): void {
    this.calls.push(`greeted ${before.length} → ${this.state.length}`)
  }

  protected override happened(message: Message, before: string[]): void {
    this.calls.push(`${message.type} ${before.length} → ${this.state.length}`)
  }
}

const { connect } = server
const tell = (...messages: Message[]): void => server.tell(...messages)
const card = (name: string): Message => ({ type: 'card', card: name })
const clear: Message = { type: 'clear' }
const stands: Message = { type: 'stands' }
const log = (table: TestTable): string[] => table.log.lines.map(({ text }) => text)

const story = (events: unknown[], lines: Said[] = []): unknown => ({
  type: 'extras_story',
  said: lines,
  events,
})

let page: { hidden: boolean; querySelector: () => null }

beforeEach(() => {
  vi.useFakeTimers()
  page = { hidden: false, querySelector: () => null }
  vi.stubGlobal('document', page)
  vi.stubGlobal('matchMedia', () => ({ matches: false }))
  toasts.clear()
  announcer.lines = []
  visitor.tables.clear()
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** A table that greeted with one card. */
function sitDown(): TestTable {
  const table = new TestTable()
  connect()
  tell(clear, card('a'), stands)
  return table
}

describe('a greeting', () => {
  it('takes effect with its last message, at once and in silence', () => {
    const table = new TestTable()
    connect()
    tell(clear, card('a'), card('b'))
    expect([table.known, table.state]).toEqual([false, []])
    tell(stands)
    expect([table.known, table.state]).toEqual([true, ['a', 'b']])
    expect(table.calls).toEqual(['connected', 'greeted 0 → 2'])
    expect([table.log.lines, announcer.lines]).toEqual([[], []])
  })

  it('may come in pieces, however long it takes', () => {
    const table = new TestTable()
    connect()
    for (const message of [clear, card('a'), card('b')]) {
      tell(message)
      vi.advanceTimersByTime(60_000)
      expect(table.known).toBe(false)
    }
    tell(stands)
    expect([table.state, log(table)]).toEqual([['a', 'b'], []])
  })

  it('is over with that message: the next is news, though it comes in the same breath', () => {
    const table = new TestTable()
    connect()
    tell(clear, card('a'), stands, card('b'))
    expect([table.state, log(table)]).toEqual([['a', 'b'], ['b: 1 → 2']])
  })

  it('that a lost connection cuts short changes nothing', () => {
    const table = sitDown()
    connect()
    tell(clear, card('x'))
    expect(table.state).toEqual(['a'])
    connect()
    tell(clear, card('a'), card('b'), stands)
    expect(table.state).toEqual(['a', 'b'])
    expect(table.calls.slice(2)).toEqual(['connected', 'connected', 'greeted 1 → 2'])
  })

  it('replaces what was still waiting to be shown', () => {
    const table = sitDown()
    tell(card('b'), card('c'))
    connect()
    tell(clear, card('z'), stands)
    vi.advanceTimersByTime(1000)
    expect([table.state, log(table)]).toEqual([['z'], ['b: 1 → 2']])
  })

  it('after a lost connection says that one is back, and whether it is one’s turn', () => {
    const table = sitDown()
    expect(announcer.lines).toEqual([])
    const said = (mine: boolean): string | undefined => {
      table.mine = mine
      connect(true)
      tell(clear, stands)
      return announcer.lines.at(-1)?.text
    }
    expect([said(false), said(true)]).toEqual(['You are back.', 'You are back. It is your turn.'])
  })

  it('keeps a choice that can still be made, and drops another', () => {
    const table = sitDown()
    table.choice = 'a'
    connect()
    tell(clear)
    expect(table.choice).toBe('a')
    tell(card('a'), stands)
    expect(table.choice).toBe('a')
    connect()
    tell(clear, stands)
    expect(table.choice).toBeNull()
  })

  it('makes the table one of the visitor’s own, unless they look on or there is no code', () => {
    sitDown()
    expect([...visitor.tables]).toEqual(['123456'])
    new TestTable('654321', true)
    tell(stands)
    new TestTable('')
    tell(stands)
    expect([...visitor.tables]).toEqual(['123456'])
  })
})

describe('after a lost connection', () => {
  const at = (at: string, messages: number, more: object = {}): unknown => ({
    type: 'extras_at',
    at,
    messages,
    ...more,
  })
  const since = (): string => server.options.path().split('since=')[1]!

  function greeted(): TestTable {
    const table = new TestTable()
    connect()
    server.tell(at('4-1-0', 3, { whole: true }))
    tell(clear, card('a'), stands)
    return table
  }

  it('the page says how far it got, to the message', () => {
    const table = new TestTable()
    connect()
    server.tell(at('4-1-0', 3, { whole: true }))
    tell(clear, card('a'))
    expect(since()).toBe('')
    tell(stands)
    expect(since()).toBe('4-1-0')
    server.tell(at('7-1-0', 2), { type: 'card', card: 'b' })
    expect(since()).toBe('4-1-0.1')
    tell({ type: 'error', message: 'No.' })
    server.tell({ type: 'extras_pong' })
    expect(since()).toBe('4-1-0.1')
    server.tell({ type: 'card' }) // which does not fit
    expect(since()).toBe('7-1-0')
    expect(table.state).toEqual(['a', 'b'])
  })

  it('what was missed is news, and what was shown stays', () => {
    const table = greeted()
    server.tell(at('5-1-0', 2))
    tell(card('b'))
    connect(true)
    expect(announcer.lines.map(({ text }) => text)).toEqual(['b'])
    server.tell(at('5-1-0', 1))
    expect(announcer.lines.map(({ text }) => text)).toEqual(['b', 'You are back.'])
    tell(card('c'))
    vi.advanceTimersByTime(1000)
    expect([table.state, log(table)]).toEqual([
      ['a', 'b', 'c'],
      ['b: 1 → 2', 'c: 2 → 3'],
    ])
    expect(since()).toBe('5-1-0')
  })

  it('moves of long ago are shown at once, the last ones one by one', () => {
    const table = greeted()
    connect(true)
    server.tell(at('5-1-0', 2, { ago: 9000 }))
    tell(card('b'), card('c'))
    server.tell(at('6-1-0', 2))
    tell(card('d'), card('e'))
    expect(table.state).toEqual(['a', 'b', 'c', 'd'])
    vi.advanceTimersByTime(100)
    expect(table.state).toHaveLength(5)
  })

  it('where it was too much, the table is shown anew', () => {
    const table = greeted()
    tell(card('b'), card('c'))
    connect(true)
    server.tell(at('900-1-0', 3, { whole: true }))
    tell(clear, card('z'))
    vi.advanceTimersByTime(1000)
    expect([table.state, since()]).toEqual([['a', 'b'], ''])
    tell(stands)
    expect([table.state, since()]).toEqual([['z'], '900-1-0'])
  })
})

describe('news', () => {
  it('is shown one after the other, written down and said', () => {
    const table = sitDown()
    tell(card('b'), card('chat'))
    expect(table.state).toEqual(['a', 'b'])
    vi.advanceTimersByTime(100)
    expect(table.state).toEqual(['a', 'b', 'chat'])
    expect(table.log.lines).toEqual([
      { id: 0, text: 'b: 1 → 2' },
      { id: 1, text: 'chat: 2 → 3', by: 'Ann' },
    ])
    expect(announcer.lines.map(({ text }) => text)).toEqual(['b'])
    expect(table.calls.slice(2)).toEqual(['card 1 → 2', 'card 2 → 3'])
  })

  it('does not wait for anybody who does not look', () => {
    const table = sitDown()
    page.hidden = true
    tell(card('b'), card('c'))
    expect(table.state).toEqual(['a', 'b', 'c'])
  })

  it('is hurried along by a touch, and by whatever the visitor does', () => {
    const table = sitDown()
    tell(card('b'), card('c'))
    table.hurry()
    expect(table.state).toHaveLength(3)
    tell(card('d'), card('e'))
    table.act('go')
    expect([table.state.length, server.sent]).toEqual([5, ['go']])
  })

  it('is forgotten line by line when there is much of it', () => {
    const table = sitDown()
    page.hidden = true
    for (let n = 0; n < 200; n++) tell(card(`${n}`))
    expect([table.log.lines.length, table.log.lines.at(-1)?.id]).toEqual([80, 199])
  })

  it('ends when the table is left', () => {
    const table = sitDown()
    tell(card('b'), card('c'))
    table.leave()
    vi.advanceTimersByTime(1000)
    expect([table.state, server.closed]).toEqual([['a', 'b'], true])
  })
})

describe('a refusal', () => {
  it('before there is a table is final', () => {
    const table = new TestTable()
    connect()
    tell({ type: 'error', message: 'Full.' })
    expect([table.refusal, toasts.list]).toEqual([{ why: 'Full.', exists: true }, []])
  })

  it('later is said, and the table stays', async () => {
    const table = sitDown()
    tell({ type: 'error', message: 'Not now.' })
    await vi.waitFor(() =>
      expect([table.refusal, toasts.list.map(({ text }) => text)]).toEqual([null, ['Not now.']]),
    )
    expect(table.state).toEqual(['a'])
  })

  it('by closing the connection tells whether there is such a table', () => {
    const table = new TestTable()
    server.options.onrefused?.(4404, '')
    expect(table.refusal).toEqual({ why: 'There is no such table.', exists: false })
    expect(refusalOf(4409, 'It is full.')).toEqual({ why: 'It is full.', exists: true })
  })

  it('is our own where the connection is lost', () => {
    const table = sitDown()
    server.up = false
    expect(table.act('go')).toBe(false)
    expect(toasts.list).toHaveLength(1)
  })
})

describe('what a table tells besides the game', () => {
  const note = (kind: Noted['kind'], name = 'Ben'): Noted => ({
    type: 'extras_note',
    kind,
    id: '1',
    name,
  })

  it('needs no lobby while the match begins that was asked for at once', () => {
    expect(new TestTable().starting).toBe(false)
    const table = new TestTable('123456', false, true)
    server.connect()
    server.tell({ type: 'stands' }, stand())
    expect(table.starting).toBe(true)
    server.tell(stand({ running: true }))
    expect(table.starting).toBe(false)
    // It may not begin: then there is a lobby, after all.
    const late = new TestTable('123456', false, true)
    vi.advanceTimersByTime(3000)
    expect(late.starting).toBe(false)
  })

  it('writes down and says aloud who goes, comes back and is skipped', () => {
    const table = new TestTable()
    server.connect()
    server.tell({ type: 'stands' })
    server.tell(note('away'), note('skipped'), note('back'), note('left'), note('ended'))
    const lines = [
      'Ben lost the connection.',
      'Ben is away: their turn was skipped.',
      'Ben is back.',
      'Ben left.',
      'The round ended because Ben left.',
    ]
    expect(table.log.lines.map(({ text }) => text)).toEqual(lines)
    expect(announcer.lines.slice(-5).map(({ text }) => text)).toEqual(lines)
  })

  it('lists who went before we came, between the moves', () => {
    const table = new TestTable()
    server.connect()
    server.tell({ type: 'stands' })
    const events = [{ type: 'card', card: 'a' }, note('away'), { type: 'card', card: 'b' }]
    server.tell({ type: 'extras_story', said: [], events })
    expect(table.log.lines.map(({ text }) => text)).toEqual([
      'a: 0 → 1',
      'Ben lost the connection.',
      'b: 1 → 2',
    ])
  })

  it('asks to go on without somebody', () => {
    const table = new TestTable()
    server.connect()
    table.voteOut(3, true)
    expect(server.sent).toEqual([{ type: 'extras_vote', place: 3, out: true }])
  })

  it('asks for longer timers once, where there are timers and a seat', () => {
    const table = new TestTable()
    server.connect()
    const asked = { type: 'extras_time', longer: true }
    for (const more of [{ timed: true }, { seated: true }, { timed: true, seated: true }, {}]) {
      server.tell(stand(more))
      table.askForTime(true)
    }
    expect(server.sent).toEqual([asked])
    server.tell(stand({ timed: true, seated: true }))
    table.askForTime(true)
    table.askForTime(false)
    expect(server.sent).toEqual([asked, { ...asked, longer: false }])
  })

  const said = (text: string, at = 1, name = 'Ann'): Said => ({
    type: 'extras_said',
    name,
    text,
    at,
  })
  it('lists once what the game’s own protocol told, too', () => {
    const table = sitDown()
    for (let times = 0; times < 2; times++) {
      tell(card('chat'))
      server.tell(said('chat'))
    }
    vi.advanceTimersByTime(1000)
    expect(table.log.lines.filter(({ by }) => by)).toHaveLength(2)
    server.tell(said('only here'))
    expect(log(table).at(-1)).toBe('only here')
  })

  it('is asked for where there is a table to share', () => {
    new TestTable()
    expect(server.options.path()).toBe('/test?table=123456&extras=story,notice,deals&since=')
    new TestTable('')
    expect(server.options.path()).toBe('/test?table=')
  })

  it('may say why something was refused, which is no end of the table', async () => {
    const table = sitDown()
    server.tell({ type: 'extras_refused', code: 'too-soon', message: 'Wait a little.' })
    await vi.waitFor(() =>
      expect([table.refusal, toasts.list.map(({ text }) => text)]).toEqual([
        null,
        ['Wait a little.'],
      ]),
    )
  })

  it('waits for what is still being shown, and is no message of the game', () => {
    const table = sitDown()
    tell(card('b'), card('c'))
    server.tell(stand({ free: true }))
    expect(table.extras).toBeNull()
    vi.advanceTimersByTime(1000)
    expect(table.extras?.free).toBe(true)
    expect(table.state).toEqual(['a', 'b', 'c'])
  })

  it('takes who waited to the seat that came free', () => {
    const go = vi.spyOn(router, 'go').mockImplementation(() => {})
    vi.stubGlobal('location', { pathname: '/table/test/123456' })
    const table = new TestTable('123456', true)
    connect()
    tell(clear, stands)
    table.waitForSeat()
    expect(server.sent).toEqual([{ type: 'extras_queue', password: null }])
    server.tell(stand({ queue: [{ name: 'Ben' }, { name: 'Me', you: true }] }))
    expect(announcer.lines.at(-1)?.text).toBe('You are number 2 in line.')
    server.tell(stand({ queue: [{ name: 'Me', you: true }] }))
    expect(announcer.lines.at(-1)?.text).toBe('You are next in line for a seat.')
    expect(go).not.toHaveBeenCalled()
    server.tell(stand({ seated: true }))
    expect(go).toHaveBeenCalledWith('/table/test/123456', { replace: true })
  })

  it('leaves a spectator who did not wait where they are, though they have a seat', () => {
    const go = vi.spyOn(router, 'go').mockImplementation(() => {})
    go.mockClear()
    new TestTable('123456', true)
    connect()
    tell(clear, stands)
    server.tell(stand(), stand({ seated: true }))
    expect(go).not.toHaveBeenCalled()
  })

  it('writes down what is said and counts what was not read', () => {
    const table = sitDown()
    server.tell(said('Hello'), said('You there?', 2))
    expect(table.log.lines.map(({ by, text }) => `${by}: ${text}`)).toEqual([
      'Ann: Hello',
      'Ann: You there?',
    ])
    expect(announcer.lines.at(-1)?.text).toBe('Ann says: You there?')
    expect(table.log.unread).toBe(2)
    table.log.look(true)
    expect(table.log.unread).toBe(0)
    server.tell(said('Good', 3))
    expect(table.log.unread).toBe(0)
    table.log.look(false)
    table.say(' Yes ')
    expect(server.sent).toEqual([{ type: 'extras_say', text: ' Yes ' }])
    server.tell(said('Yes', 4, 'Me'))
    expect([table.log.unread, table.log.lines.length]).toEqual([0, 4])
  })

  it('lists the moves and the words that were missed, and those alone', () => {
    const table = new TestTable()
    connect()
    tell(clear, stands)
    server.tell(story([]))
    tell(card('a'), card('b'))
    vi.advanceTimersByTime(1000)
    server.tell(said('Hello', 5))
    connect(true)
    tell(clear, card('a'), card('b'), card('c'), card('d'), stands)
    const words = [said('Hello', 5), said('Still there?', 6)]
    server.tell(story([card('a'), card('b'), card('c'), card('d')], words))
    expect(log(table)).toEqual([
      'a: 0 → 1',
      'b: 1 → 2',
      'Hello',
      'Still there?',
      'c: 2 → 3',
      'd: 3 → 4',
    ])
    expect(announcer.lines.map(({ text }) => text)).toContain(
      'You missed 2 moves: see the list of moves.',
    )
    // What is on the table is what the greeting said.
    expect(table.state).toEqual(['a', 'b', 'c', 'd'])
  })

  it('says by ear that one is back, and whose turn it is', () => {
    const table = sitDown()
    table.mine = true
    connect(true)
    tell(clear, card('a'), stands)
    expect(announcer.lines.map(({ text }) => text)).toContain('You are back. It is your turn.')
  })

  it('tells the server when one gets up for good', () => {
    sitDown().getUp()
    expect(server.sent).toEqual([{ type: 'extras_leave' }])
    const watching = new TestTable('123456', true)
    watching.getUp()
    expect(server.sent).toEqual([])
  })
})

describe('a message that is not as the protocol says', () => {
  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    forget()
  })
  afterEach(() => vi.restoreAllMocks())

  const toasted = (): string[] => toasts.list.map(({ text }) => text)

  it('is reported and ignored, and the table goes on', () => {
    const table = sitDown()
    server.tell({ type: 'card' }, null, 'hello', { card: 'x' }, [])
    expect(table.state).toEqual(['a'])
    expect(toasted()).toEqual([UNREADABLE])
    tell(card('b'))
    expect([table.state, log(table)]).toEqual([['a', 'b'], ['b: 1 → 2']])
  })

  it('is ignored in a greeting, in what was missed and among the extras, too', () => {
    const table = new TestTable()
    connect()
    server.tell(clear, { type: 'card', card: 1 }, card('a'), stands)
    expect(table.state).toEqual(['a'])
    server.tell(story([card('a'), { type: 'card', card: 2 }, card('b')]))
    expect(log(table)).toEqual(['a: 0 → 1', 'b: 1 → 2'])
    server.tell({ type: 'extras_table', queue: 'long' })
    expect(table.extras).toBeNull()
  })

  it('is something else than a kind of message that is not known', () => {
    const table = sitDown()
    server.tell({ type: 'fireworks', card: 3 }, { type: 'extras_fireworks' })
    vi.advanceTimersByTime(1000)
    expect([table.state, table.extras, toasted()]).toEqual([['a'], null, []])
  })
})
