import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { announcer } from '../../lib/announcer.svelte'
import { server, stand } from '../../lib/fake-socket'
import { preferences } from '../../lib/preferences.svelte'
import { toasts } from '../../lib/toasts.svelte'
import type { Scene } from '../../protocol/extras'
import { onuDeck } from './deck'
import type { Message } from './messages'
import { dealt, lobby, welcome } from './recorded'
import { OnuTable, readingTime } from './table.svelte'

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

/** Ann's turn: a red skip and a wild fit the red 7. */
const scene: Scene = {
  viewer: 0,
  seats: [{ seat: 0 }, { seat: 1 }, { seat: 2 }],
  zones: [
    { id: 'deck', label: 'Deck', look: 'pile', more: 20, deck: 'onu' },
    {
      id: 'hand 0',
      label: 'Your hand',
      look: 'hand',
      seat: 0,
      deck: 'onu',
      sortable: true,
      things: ['red 5', 'wild', 'blue 2', 'red skip'].map((face, name) => ({
        id: `t${name}`,
        face,
        name,
      })),
    },
  ],
  prompt: 'Play a card that fits, or draw one.',
  awaits: [0],
  targets: { draw: ['deck'], 'play.index': ['hand 0'] },
  choices: [
    { action: 'play', fields: { index: { type: 'one', of: [0, 3] } } },
    {
      action: 'play',
      fields: { index: { type: 'one', of: [1] }, colour: { type: 'one', of: [0, 1, 2, 3] } },
    },
    { action: 'draw' },
  ],
}

function seated(...messages: Message[]): OnuTable {
  const table = new OnuTable({ code: '123456', watch: false })
  server.connect()
  server.tell(welcome(0), lobby(), dealt(), { type: 'extras_scene', scene, moves: [], names: [] })
  server.tell(...messages)
  return table
}

/** Presses Ann's card of this face. */
function play({ desk }: OnuTable, face: string): void {
  const hand = desk.scene!.zones[1]!
  desk.press(
    hand,
    hand.things!.find((thing) => thing.face === face)!,
  )
}

describe('an ONU table', () => {
  it('is greeted with the lobby, and with the game where there is one', () => {
    const table = new OnuTable({ code: '123456', watch: false })
    server.connect()
    server.tell(welcome(0), lobby())
    expect(table.known).toBe(false)
    server.tell(dealt())
    expect(table.known).toBe(true)
    const waiting = new OnuTable({ code: '123456', watch: true })
    expect(server.options.path()).toBe('/onu?watch=123456&extras=story,scene,notice,deals&since=')
    server.connect()
    server.tell(welcome(null), lobby({ running: false }))
    expect(waiting.known).toBe(true)
    expect(waiting.phase).toBe('lobby')
  })

  it('shows the hand by colour, and plays by the server’s order', () => {
    const table = seated()
    table.desk.addDecks({ onu: onuDeck })
    const shown = table.desk.shown(scene.zones[1]!).map(({ face }) => face)
    expect(shown).toEqual(['blue 2', 'red 5', 'red skip', 'wild'])
    play(table, 'red skip')
    expect(server.sent).toEqual([{ type: 'extras_act', action: 'play', fields: { index: 3 } }])
  })

  it('asks for a wild’s colour before it is played', () => {
    const table = seated()
    play(table, 'wild')
    expect(server.sent).toEqual([])
    expect(table.desk.sentence).toBe('Which colour?')
    table.desk.choose(2)
    expect(server.sent).toEqual([
      { type: 'extras_act', action: 'play', fields: { index: 1, colour: 2 } },
    ])
  })

  it('sends nothing that can’t be done, and says what can', () => {
    const table = seated()
    play(table, 'blue 2')
    expect(server.sent).toEqual([])
    expect(toasts.list.map(({ text }) => text)).toEqual(['Play a card that fits, or draw one.'])
  })

  it('shows what is said for as long as it takes to read it', () => {
    const table = seated()
    const say = (place: number, text: string): void =>
      server.tell({ type: 'said', place, name: 'Ben', text, at: 0 })
    say(1, 'Hello.')
    expect(table.saying(1)?.text).toBe('Hello.')
    expect(table.saying(0)).toBe(undefined)
    expect(table.saying(undefined)).toBe(undefined)
    expect(table.log.lines.at(-1)).toMatchObject({ by: 'Ben', text: 'Hello.' })
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

  it('starts at once where the visitor came to play at once', () => {
    preferences.unhurried = true
    new OnuTable({ code: '123456', watch: false, eager: true })
    server.connect()
    server.tell(welcome(0), lobby({ running: false, players: lobby().players.slice(0, 1) }))
    server.tell(stand({ timed: true, seated: true }))
    server.tell(lobby({ running: false }))
    server.tell(lobby({ running: false }))
    // A wish for longer timers counts from the next match on, so it comes first.
    expect(server.sent).toEqual([{ type: 'extras_time', longer: true }, { type: 'start' }])
    preferences.unhurried = false
  })
})
