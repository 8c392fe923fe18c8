import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { server } from '../../lib/fake-socket'
import { toasts } from '../../lib/toasts.svelte'
import type { BoardMessage, Incoming, Outgoing } from '../../protocol/mo'
import { remember, remembered, type Played } from './stats'
import { MoTable } from './table.svelte'

vi.mock('../../lib/socket.svelte', () => import('../../lib/fake-socket'))

let storage: Map<string, string>
let page: EventTarget

beforeEach(() => {
  storage = new Map()
  page = new EventTarget()
  vi.stubGlobal('window', page)
  vi.stubGlobal('location', { search: '', pathname: '/play/mo' })
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, text: string) => storage.set(key, text),
  })
  vi.useFakeTimers()
  toasts.clear()
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const board = (moves: number, more: Partial<BoardMessage> = {}): BoardMessage => ({
  type: 'board',
  piles: { e5: { count: 30, top: null } },
  valid: ['b2'],
  can_undo: moves > 0,
  can_redo: false,
  status: 'playing',
  reason: '',
  seed: 'one',
  profile: 'classic',
  defeated: [],
  moves,
  lanes: [],
  hopeless: '',
  ...more,
})

const tell = (message: Outgoing): void => server.tell(message)
const refuse = (code: string): void => tell({ type: 'error', code, message: `No: ${code}.` })
const hint = (to: string): void => tell({ type: 'hint', to, why: 'It is best.' })
const sent = (type: Incoming['type']): number =>
  (server.sent as Incoming[]).filter((message) => message.type === type).length

/** A table whose game stands at move 5. */
function sitDown(): MoTable {
  const table = new MoTable({ code: '', watch: false })
  server.connect()
  tell(board(5))
  return table
}

/** A hint is on its way to a position that has passed, and another was asked for. */
function askTwice(): MoTable {
  const table = sitDown()
  table.ask()
  table.play('b2')
  tell(board(6))
  table.ask()
  return table
}

describe('a hint', () => {
  it('is asked for once, shown, and gone with the position', () => {
    const table = sitDown()
    table.ask()
    table.ask()
    expect([sent('hint'), table.thinking]).toEqual([1, true])
    hint('b2')
    expect([table.hint?.to, table.thinking]).toEqual(['b2', false])
    table.play('b2')
    tell(board(6))
    expect(table.hint).toBeNull()
  })

  it('waits for a stale one, which nobody sees', () => {
    const table = askTwice()
    expect([sent('hint'), table.thinking]).toEqual([1, true])
    hint('b2')
    expect([sent('hint'), table.thinking, table.hint]).toEqual([2, true, null])
    hint('c3')
    expect([table.thinking, table.hint?.to]).toEqual([false, 'c3'])
    expect(toasts.list).toEqual([])
  })

  it('is asked for again when a stale one came to nothing, without a word', () => {
    const table = askTwice()
    refuse('no-answer')
    expect([sent('hint'), table.thinking, toasts.list.length]).toEqual([2, true, 0])
    hint('c3')
    expect([table.thinking, table.hint?.to]).toEqual([false, 'c3'])
  })

  it('nobody waits for any more is dropped, and so is its refusal', () => {
    const table = sitDown()
    for (const answer of [() => hint('b2'), () => refuse('no-answer')]) {
      table.ask()
      table.play('b2')
      tell(board(6))
      answer()
      expect([table.thinking, table.hint, toasts.list.length]).toEqual([false, null, 0])
    }
    expect(sent('hint')).toBe(2)
  })

  it('asked for while a card is on its way is about the position after it', () => {
    const table = sitDown()
    table.play('b2')
    table.ask()
    expect([sent('hint'), table.thinking]).toEqual([0, true])
    tell(board(6))
    expect(sent('hint')).toBe(1)
    hint('c3')
    expect(table.hint?.to).toBe('c3')
  })

  it('that failed is said, and may be asked for again', async () => {
    const table = sitDown()
    table.ask()
    refuse('no-answer')
    await vi.waitFor(() => expect([table.thinking, toasts.list.length]).toEqual([false, 1]))
    table.ask()
    expect(sent('hint')).toBe(2)
  })

  it('waits for one that another tab has asked for', () => {
    const table = sitDown()
    table.ask()
    refuse('still-thinking')
    expect([table.thinking, toasts.list.length]).toEqual([true, 0])
    vi.runAllTimers()
    expect(sent('hint')).toBe(2)
    hint('c3')
    expect([table.thinking, table.hint?.to]).toEqual([false, 'c3'])
  })

  it('is not waited for where the game has ended meanwhile', () => {
    const table = sitDown()
    table.ask()
    tell(board(6, { status: 'lost', valid: [] }))
    expect(table.thinking).toBe(false)
  })
})

describe('a refused change', () => {
  it('is followed by the hint that waited for it', () => {
    const table = sitDown()
    table.play('b2')
    table.ask()
    refuse('not-valid')
    hint('c3')
    expect([sent('hint'), table.hint?.to]).toEqual([1, 'c3'])
  })

  it('leaves the hint on its way alone', async () => {
    const table = askTwice()
    table.undo()
    refuse('nothing-to-undo')
    await vi.waitFor(() => expect(toasts.list).toHaveLength(1))
    table.ask()
    hint('b2')
    expect([sent('hint'), table.hint]).toEqual([2, null])
    hint('c3')
    expect(table.hint?.to).toBe('c3')
  })

  it('is said though a hint nobody waits for is on its way', async () => {
    const table = sitDown()
    table.ask()
    table.play('b2')
    refuse('game-over')
    await vi.waitFor(() => expect(toasts.list).toHaveLength(1))
  })
})

describe('a second click', () => {
  it.each(['still-thinking', 'no-answer', 'no-peek'])(
    'plays nothing before the board has come, whatever %s refuses',
    (code) => {
      const table = sitDown()
      table.play('b2')
      refuse(code)
      table.play('b2')
      expect(sent('play')).toBe(1)
      tell(board(6))
      table.play('b2')
      expect(sent('play')).toBe(2)
    },
  )

  it('says which position it is meant for, so that a stale tab plays nothing', () => {
    const table = sitDown()
    table.play('b2')
    expect(server.sent).toEqual([{ type: 'play', to: 'b2', moves: 5 }])
    tell(board(6))
    table.play('b2')
    expect(server.sent.at(-1)).toEqual({ type: 'play', to: 'b2', moves: 6 })
  })

  it('plays after the first was refused', () => {
    const table = sitDown()
    table.play('b2')
    refuse('not-valid')
    table.play('b2')
    expect(sent('play')).toBe(2)
  })
})

describe('a win', () => {
  it('is marked where a hint was shown in its deal, also before a reload', () => {
    const first = sitDown()
    first.ask()
    hint('b2')
    const table = sitDown()
    tell(board(6, { status: 'won' }))
    expect(table.games).toMatchObject([{ won: true, moves: 6, helped: true }])
    table.deal({ seed: 'other' })
    tell(board(0, { seed: 'other', can_undo: false }))
    tell(board(9, { seed: 'other', status: 'won' }))
    expect(table.games.map(({ helped }) => helped)).toEqual([true, undefined])
  })
})

const won: Played = { seed: 'two', profile: 'classic', won: true, moves: 60, open: false }

describe('a game left half-way', () => {
  it('is counted when the other is dealt, as it stood then', () => {
    const table = sitDown()
    table.play('b2')
    table.deal({ seed: 'new' })
    tell(board(6))
    expect(table.games).toEqual([])
    tell(board(0, { seed: 'new' }))
    expect(table.games).toMatchObject([{ seed: 'one', won: false, moves: 6, open: false }])
    expect(remembered()).toEqual(table.games)
  })

  it('is not counted where the other was refused', () => {
    const table = sitDown()
    table.deal({ seed: '?' })
    refuse('bad-seed')
    tell(board(0, { can_redo: true }))
    tell(board(0, { seed: 'from-another-tab' }))
    expect([table.games, remembered()]).toEqual([[], []])
  })

  it('is counted though the line was cut over it', () => {
    const table = sitDown()
    table.deal()
    server.connect(true)
    tell(board(0, { seed: 'new' }))
    expect(table.games).toHaveLength(1)
  })
})

describe('statistics', () => {
  it('keep what another tab has written', () => {
    const table = sitDown()
    remember([won])
    tell(board(6, { status: 'lost', valid: [] }))
    expect(remembered()).toMatchObject([won, { seed: 'one', won: false }])
    expect(table.games).toEqual(remembered())
  })

  it('show what another tab writes, until the table is left', () => {
    const table = sitDown()
    remember([won])
    page.dispatchEvent(new Event('storage'))
    expect(table.games).toEqual([won])
    table.leave()
    remember([])
    page.dispatchEvent(new Event('storage'))
    expect(table.games).toEqual([won])
  })

  it('count a game once that ends in two tabs', () => {
    const end = board(6, { status: 'won', valid: [] })
    sitDown()
    tell(end)
    sitDown()
    tell(end)
    expect(remembered()).toHaveLength(1)
  })

  it('last as long as the page in a browser without storage', () => {
    const table = sitDown()
    vi.stubGlobal('localStorage', undefined)
    tell(board(6, { status: 'lost', valid: [] }))
    table.deal()
    tell(board(0, { seed: 'two' }))
    tell(board(9, { seed: 'two', status: 'won', valid: [] }))
    expect(table.games).toHaveLength(2)
  })
})
