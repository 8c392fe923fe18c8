import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { GameInfo } from '../../lib/api'
import { server } from '../../lib/fake-socket'
import type { Action, LobbyEvent, PlayerInfo } from '../../protocol/plain'
import { DescribedTable } from './table.svelte'

vi.mock('../../lib/socket.svelte', () => import('../../lib/fake-socket'))

beforeEach(() => {
  vi.stubGlobal('document', { hidden: true, querySelector: () => null })
})

const player: PlayerInfo = {
  place: 0,
  name: 'ann',
  human: true,
  present: true,
  ready: false,
  seat: null,
}
/** A table for two to four on which no match runs. */
const lobby = (players: number): LobbyEvent => ({
  type: 'lobby',
  players: Array.from({ length: players }, (_, place) => ({ ...player, place })),
  host: 0,
  min_seats: 2,
  max_seats: 4,
  settings: {},
  running: false,
  round: 0,
  starts_at: null,
})

function table(eager: boolean): DescribedTable {
  const game = { id: 'dice' } as GameInfo
  const made = new DescribedTable({ code: '123456', watch: false, game, eager })
  server.connect()
  return made
}
const starts = () => server.sent.filter((one) => (one as Action).type === 'start').length

describe('a table of a described game', () => {
  it('starts by itself for who asked to play at once, as soon as enough are there, and once', () => {
    table(true)
    server.tell(lobby(1))
    expect(starts()).toBe(0)
    server.tell(lobby(2))
    expect(starts()).toBe(1)
    server.tell(lobby(3))
    expect(starts()).toBe(1)
  })

  it('waits for the host otherwise', () => {
    table(false)
    server.tell(lobby(2))
    expect(starts()).toBe(0)
  })

  it('starts nothing where a match runs already, and shows it', () => {
    const made = table(true)
    server.tell({ ...lobby(2), running: true })
    expect([starts(), made.state.atTable]).toEqual([0, true])
  })
})
