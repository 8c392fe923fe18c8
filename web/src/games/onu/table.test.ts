import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { announcer } from '../../lib/announcer.svelte'
import { server } from '../../lib/fake-socket'
import { toasts } from '../../lib/toasts.svelte'
import { spoken } from './faces'
import type { Message } from './messages'
import { card, dealt, lobby, welcome } from './recorded'
import { OnuTable, readingTime, timerOf } from './table.svelte'

vi.mock('../../lib/socket.svelte', () => import('../../lib/fake-socket'))

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', { hidden: true, querySelector: () => null })
  vi.stubGlobal('matchMedia', () => ({ matches: true }))
  announcer.lines = []
  toasts.clear()
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function seated(...messages: Message[]): OnuTable {
  const table = new OnuTable({ code: '123456', watch: false })
  server.connect()
  server.tell(welcome(0), lobby(), dealt(), ...messages)
  return table
}

/** The number of Ann's card of this name. */
const cardCalled = (table: OnuTable, name: string): number =>
  table.hand.find((id) => spoken(table.face(id)) === name)!

describe('an ONU table', () => {
  it('is greeted with the lobby, and with the game where there is one', () => {
    const table = new OnuTable({ code: '123456', watch: false })
    server.connect()
    server.tell(welcome(0), lobby())
    expect(table.known).toBe(false)
    server.tell(dealt())
    expect(table.known).toBe(true)
    const waiting = new OnuTable({ code: '123456', watch: true })
    expect(server.options.path()).toBe('/onu?watch=123456&extras=story')
    server.connect()
    server.tell(welcome(null), lobby({ running: false }))
    expect(waiting.known).toBe(true)
    expect(waiting.phase).toBe('lobby')
  })

  it('has a timer for the awaited player, but not while they are away', () => {
    vi.setSystemTime(20_000)
    const table = seated()
    expect(table.timerAt(0)).toEqual({ until: 60_000, total: 60_000 })
    expect(table.timerAt(1)).toBe(null)
    const { players } = lobby()
    const benAway = players.map((player) => ({ ...player, present: player.name !== 'Ben' }))
    server.tell(lobby({ players: benAway }))
    server.tell({ type: 'prompted', seat: 1, effect: 0, first: true, deadline: 70_000 })
    expect(table.timerAt(0)).toBe(null)
    expect(table.timerAt(1)).toBe(null)
    server.tell(lobby())
    expect(table.timerAt(1)).toEqual({ until: 70_000, total: 60_000 })
  })

  it('shows the hand by colour, and plays by the server’s order', () => {
    const table = seated()
    const shown = table.hand.map((id) => spoken(table.face(id)))
    expect(shown).toEqual(['blue 2', 'red 5', 'red skip', 'wild'])
    table.play(cardCalled(table, 'red skip'))
    expect(server.sent).toEqual([{ type: 'play', index: 3 }])
  })

  it('asks for a wild’s colour before it is played', () => {
    const table = seated()
    table.play(cardCalled(table, 'wild'))
    expect(server.sent).toEqual([])
    expect(table.choosing).toBe(cardCalled(table, 'wild'))
    // Ann has most of red.
    expect(table.bestColour).toBe(1)
    table.choose(2)
    expect(server.sent).toEqual([{ type: 'play', index: 1, color: 2 }])
    expect(table.choosing).toBe(null)
  })

  it('forgets the wild when the turn has passed meanwhile', () => {
    const table = seated()
    table.play(cardCalled(table, 'wild'))
    server.tell({ type: 'passed', seat: 0, why: 'timeout' })
    expect(table.choosing).toBe(null)
    table.choose(2)
    expect(server.sent).toEqual([])
  })

  it('sends nothing that can’t be done, and says why', () => {
    const table = seated()
    table.play(cardCalled(table, 'blue 2'))
    expect(server.sent).toEqual([])
    expect(toasts.list.map(({ text }) => text)).toEqual(['That does not go on a red 7.'])
    server.tell({ type: 'prompted', seat: 1, effect: 0, first: true, deadline: 0 })
    table.draw()
    expect(server.sent).toEqual([])
    server.tell({ type: 'prompted', seat: 0, effect: 0, first: true, deadline: 0 })
    table.draw()
    expect(server.sent).toEqual([{ type: 'draw' }])
  })

  it('shows what is said for as long as it takes to read it', () => {
    const table = seated()
    const say = (place: number, text: string): void =>
      server.tell({ type: 'said', place, name: 'Ben', text, at: 0 })
    say(1, 'Hello.')
    expect(table.saying(1)?.text).toBe('Hello.')
    expect(table.saying(0)).toBe(undefined)
    expect(table.saying(undefined)).toBe(undefined)
    expect(table.log.at(-1)).toMatchObject({ by: 'Ben', text: 'Hello.' })
    expect(announcer.lines.at(-1)?.text).toBe('Ben says: Hello.')
    // One's next words take the place of the last ones, and have all of their time.
    vi.advanceTimersByTime(readingTime('Hello.') - 1)
    say(1, 'Again.')
    vi.advanceTimersByTime(2)
    expect(table.bubbles.map(({ text }) => text)).toEqual(['Again.'])
    vi.advanceTimersByTime(readingTime('Again.'))
    expect(table.bubbles).toEqual([])
    expect(readingTime('x'.repeat(5000))).toBeLessThan(20_000)
  })

  it('says whose turn it is to who can’t see it, once', () => {
    seated({ type: 'prompted', seat: 0, effect: 0, first: true, deadline: 0 })
    expect(announcer.lines.at(-1)?.text).toMatch(/^Your turn, on red 7\./)
  })

  it('starts at once where the visitor came to play at once', () => {
    new OnuTable({ code: '123456', watch: false, eager: true })
    server.connect()
    server.tell(welcome(0), lobby({ running: false, players: lobby().players.slice(0, 1) }))
    expect(server.sent).toEqual([])
    server.tell(lobby({ running: false }))
    server.tell(lobby({ running: false }))
    expect(server.sent).toEqual([{ type: 'start' }])
  })

  it('holds what was drawn for new', () => {
    const table = seated({ type: 'drew', seat: 0, cards: [card(2, 2)], why: 'asked-for' })
    expect(table.state.game?.drawn).toEqual([cardCalled(table, 'yellow 2')])
  })
})

describe('the time for a turn', () => {
  it('ends with the deadline, as far as the clocks agree', () => {
    expect(timerOf(70_000, 60, 20_000)).toEqual({ until: 70_000, total: 60_000 })
    // What is shown before it counts comes on top.
    expect(timerOf(83_000, 60, 20_000)).toEqual({ until: 83_000, total: 63_000 })
  })

  it('begins anew where this clock is wrong', () => {
    expect(timerOf(5_000, 60, 20_000)).toEqual({ until: 80_000, total: 60_000 })
    expect(timerOf(900_000, 60, 20_000)).toEqual({ until: 80_000, total: 60_000 })
  })
})
