import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { announcer } from '../../lib/announcer.svelte'
import { server } from '../../lib/fake-socket'
import type { Message } from './messages'
import type { Scene } from '../../protocol/extras'
import { dealt, lobbyOf, peeked } from './recorded'
import { CambiaTable } from './table.svelte'
import { tap } from './tap'

vi.mock('../../lib/socket.svelte', () => import('../../lib/fake-socket'))

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', { hidden: true, querySelector: () => null })
  announcer.lines = []
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const tell = (...messages: Message[]): void => {
  for (const payload of messages) server.tell({ seq: 0, type: payload.type, payload })
}
const sync = (phase: 'open' | 'countdown' | 'in_game'): Message => ({
  ...lobbyOf(phase),
  type: 'sync_state',
  state: phase === 'in_game' ? dealt().state : null,
})
const inGame: Message[] = [dealt(), lobbyOf('in_game'), sync('in_game')]

function table(): CambiaTable {
  const made = new CambiaTable({ code: '123456', watch: false, eager: false })
  server.connect()
  return made
}

describe('the greeting of a Cambia table', () => {
  it.each([
    ['a lobby', [lobbyOf('open'), sync('open')]],
    ['a game', inGame],
  ])('in %s ends with sync_state', (_where, greeting) => {
    const made = table()
    tell(...greeting.slice(0, -1))
    expect(made.known).toBe(false)
    tell(greeting.at(-1)!)
    expect([made.known, made.state.lobby?.code, made.log.lines.length]).toEqual([true, '123456', 0])
    made.leave()
  })

  it('may be followed by the seconds left of a countdown', () => {
    const made = table()
    tell(lobbyOf('countdown'), sync('countdown'))
    tell({ type: 'phase_change', phase: 'countdown', seconds: 7 })
    expect(made.state.countdown?.total).toBe(7000)
    made.leave()
  })

  it('may be followed by the game once more, without a word', () => {
    const made = table()
    tell(...inGame, dealt())
    expect([made.log.lines, announcer.lines]).toEqual([[], []])
    made.leave()
  })
})

const card = { type: 'one' as const, of: ['a0', 'a1'] }
const scene: Scene = {
  viewer: 0,
  seats: [{ seat: 0 }, { seat: 1 }],
  zones: [
    { id: 'discards', label: 'Discards', look: 'pile', things: [{ id: 'top', face: '5♣' }] },
    {
      id: 'hand 0',
      label: 'Your cards',
      look: 'row',
      seat: 0,
      things: [{ id: 'a0' }, { id: 'a1' }],
    },
  ],
  prompt: 'It is {1}’s turn.',
  awaits: [1],
  targets: { snap: ['discards'], 'snap.card': ['hand 0'] },
  choices: [{ action: 'snap', fields: { card }, label: 'Snap', optional: true }],
}

/** Ann's table in a game, and what she does there. */
function playing(changes: Partial<Scene> = {}) {
  const made = table()
  tell(...inGame)
  const drawn = { type: 'extras_scene', scene: { ...scene, ...changes }, moves: [], names: [] }
  server.tell({ seq: 0, type: drawn.type, payload: drawn })
  const hand = made.desk.scene!.zones[1]!
  const sent = () => server.sent.filter((one) => (one as { type: string }).type === 'extras_act')
  return { made, hand, sent, touch: (at: number) => tap(made.desk, hand, hand.things![at]!) }
}

describe('a snap', () => {
  const snapped = { type: 'extras_act', action: 'snap', fields: { card: 'a1' } }

  it('takes two taps on the same card', () => {
    const { made, touch, sent } = playing()
    touch(0)
    touch(1)
    expect([made.desk.picked, sent()]).toEqual([['a1'], []])
    touch(1)
    expect([made.desk.picked, sent()]).toEqual([[], [snapped]])
    made.leave()
  })

  it('takes the button and then a card, whoever’s turn it is meanwhile', () => {
    const { made, touch, sent } = playing()
    made.desk.start('snap')
    const between = { ...scene, choices: [], prompt: 'Between two events.' }
    made.desk.take(between)
    made.desk.take({ ...scene, prompt: 'It is {0}’s turn.' })
    touch(1)
    expect(sent()).toEqual([snapped])
    made.leave()
  })

  it('takes one gesture onto the discards', () => {
    const { made, sent } = playing()
    made.desk.carrying.ids = ['a1']
    expect(made.desk.carrying.accepts('hand 0')).toBe(false)
    made.desk.carrying.drop('discards')
    expect(sent()).toEqual([snapped])
    made.leave()
  })

  it('is not meant by a card that is to be replaced', () => {
    const replace = { action: 'replace', fields: { card } }
    const { made, touch, sent } = playing({
      choices: [replace, ...scene.choices!],
      targets: { ...scene.targets, 'replace.card': ['hand 0'] },
    })
    touch(0)
    expect(sent()).toEqual([{ type: 'extras_act', action: 'replace', fields: { card: 'a0' } }])
    made.leave()
  })

  it('is sent once for a double click', () => {
    const { made, sent } = playing()
    for (const _ of [1, 2]) made.desk.act?.('snap', { card: 'a1' })
    expect(sent()).toHaveLength(1)
    vi.advanceTimersByTime(700)
    made.desk.act?.('snap', { card: 'a1' })
    expect(sent()).toHaveLength(2)
    made.leave()
  })
})

describe('calling Cambia', () => {
  it('is asked about first, and not any more when it is too late', () => {
    const { made, sent } = playing({ choices: [{ action: 'call_cambia' }] })
    made.desk.start('call_cambia')
    expect([made.calling, sent()]).toEqual([true, []])
    const later = { type: 'extras_change', fields: { choices: [] }, zones: [], order: [], move: '' }
    server.tell({ seq: 0, type: later.type, payload: later })
    expect(made.calling).toBe(false)
    made.leave()
  })
})

it('says what only this player has seen', () => {
  const { made } = playing()
  tell(peeked)
  expect(announcer.lines.map(({ text }) => text)).toContain('Your card 2 is ten of hearts.')
  expect(made.log.lines).toEqual([])
  made.leave()
})
