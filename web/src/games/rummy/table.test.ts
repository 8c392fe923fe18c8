import { beforeEach, describe, expect, it, vi } from 'vitest'
import { server } from '../../lib/fake-socket'
import type { Event, Settings } from '../../protocol/rummy'
import { RummyTable } from './table.svelte'

vi.mock('../../lib/socket.svelte', () => import('../../lib/fake-socket'))

beforeEach(() => {
  vi.stubGlobal('document', { hidden: true, querySelector: () => null })
})

const settings = { hand_size: 7 } as Settings
const players = ['ann', 'bob'].map((id) => ({ id, name: id, human: true }))
const lobby: Event = {
  type: 'lobby',
  lobby: { players, current_player_id: 'ann', code: '123456', settings },
}
/** As the server greets in a round: the deal, the moves that lead here, whose turn it is. */
const round: Event[] = [
  {
    type: 'start',
    players,
    current_player_id: 'ann',
    card_ids: ['deck', 'open', 'b', 'a'],
    game_code: '123456',
    settings,
  },
  {
    type: 'move',
    cards: [{ id: 'a', face: { suit: 'hearts', rank: '5' } }],
    destination: { type: 'player', player_id: 'ann', position: 0 },
  },
  {
    type: 'move',
    cards: [{ id: 'b', face: null }],
    destination: { type: 'player', player_id: 'bob', position: 0 },
  },
  {
    type: 'move',
    cards: [{ id: 'open', face: { suit: 'clubs', rank: '9' } }],
    destination: { type: 'discard' },
  },
  { type: 'turn', player_id: 'ann', state: 'draw' },
]

function table(): RummyTable {
  const made = new RummyTable({ code: '123456', watch: false, eager: false })
  server.connect()
  return made
}

describe('the greeting of a rummy table', () => {
  it('is the lobby where no round is played', () => {
    const made = table()
    server.tell(lobby)
    expect([made.known, made.state.phase]).toEqual([true, 'lobby'])
  })

  it('ends with whose turn it is where one is played', () => {
    const made = table()
    server.tell(...round.slice(0, -1))
    expect(made.known).toBe(false)
    server.tell(round.at(-1))
    expect([made.known, made.hand, made.toDraw]).toEqual([true, ['a'], true])
    expect(made.log).toEqual([])
  })

  it('leaves the chosen cards chosen after a lost connection', () => {
    const made = table()
    server.tell(...round)
    made.toggle('a')
    server.connect(true)
    server.tell(...round)
    expect(made.selected).toEqual(['a'])
  })
})
