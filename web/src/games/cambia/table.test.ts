import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { announcer } from '../../lib/announcer.svelte'
import { server } from '../../lib/fake-socket'
import type { Message } from './messages'
import { dealt, king, kingLooked, kingSaw, lobbyOf, peeked } from './recorded'
import { CambiaTable } from './table.svelte'

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
const pending = dealt({
  specialAction: { active: true, playerId: 'ann', cardRank: 'K', special: 'swap_peek' },
})

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
    expect([made.known, made.state.lobby?.code, made.log.length]).toEqual([true, '123456', 0])
    made.leave()
  })

  it('may be followed by the seconds left of a countdown', () => {
    const made = table()
    tell(lobbyOf('countdown'), sync('countdown'))
    tell({ type: 'phase_change', phase: 'countdown', seconds: 7 })
    expect(made.state.countdown?.total).toBe(7000)
    made.leave()
  })

  it('may be followed by the game once more, and by the pending choice, without a word', () => {
    const made = table()
    tell(pending, lobbyOf('in_game'), sync('in_game'), pending, king)
    expect([made.asked, made.log, announcer.lines]).toEqual(['choose', [], []])
    made.leave()
  })
})

describe('a game told again while it is played', () => {
  it('leaves a card open that is being looked at, and its time', () => {
    const made = table()
    tell(...inGame, peeked)
    const until = made.glances['a1']?.until
    vi.advanceTimersByTime(1000)
    tell(dealt())
    expect(made.game?.open).toEqual({ a1: 'peek' })
    expect(made.game?.faces['a1']).toMatchObject({ rank: 'O' })
    expect(made.glances['a1']?.until).toBe(until)
    vi.advanceTimersByTime(10_000)
    expect(made.game?.open).toEqual({})
    made.leave()
  })

  it('keeps the cards chosen so far, and says an ability once', () => {
    const made = table()
    tell(...inGame, king)
    expect(announcer.lines).toHaveLength(1)
    made.choose('a0')
    tell(pending, king)
    expect([made.picks, announcer.lines.length]).toEqual([['a0'], 1])
    made.leave()
  })

  it('does not ask again for a King’s two cards that are being looked at', () => {
    const made = table()
    tell(...inGame, king, kingLooked, kingSaw)
    tell(king)
    expect([made.asked, made.game?.ability?.looked]).toEqual(['decide', ['a0', 'b2']])
    made.leave()
  })
})
