import { beforeEach, describe, expect, it, vi } from 'vitest'
import { server } from '../../lib/fake-socket'
import type { Scene } from '../../protocol/extras'
import type { Event } from '../../protocol/rummy'
import { settings } from './recorded'
import { resultOf } from './state'
import { RummyTable } from './table.svelte'

vi.mock('../../lib/socket.svelte', () => import('../../lib/fake-socket'))

beforeEach(() => {
  vi.stubGlobal('document', { hidden: true, querySelector: () => null })
})

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
    expect([made.known, made.state.phase, made.state.me]).toEqual([true, 'round', 'ann'])
    expect(made.log.lines).toEqual([])
  })
})

const scene: Scene = {
  viewer: 0,
  seats: [{ seat: 0 }, { seat: 1 }],
  zones: [
    { id: 'hand 0', label: 'Your hand', look: 'hand', seat: 0, things: [{ id: 'a', face: '5♥' }] },
  ],
  prompt: 'It is {1}’s turn.',
  targets: { 'discard.card_id': ['hand 0'], 'meld.card_ids': ['hand 0'] },
  choices: [{ action: 'discard', fields: { card_id: { type: 'one', of: ['a'] } } }],
}

describe('a round', () => {
  it('is drawn from scenes, and its moves are listed once', () => {
    const made = table()
    const told = { type: 'extras_scene', scene, moves: ['{0} has drawn a card.'], names: [] }
    server.tell(...round, told)
    expect(made.desk.sentence).toBe('It is bob’s turn.')
    server.connect(true)
    server.tell(...round, told)
    expect(made.log.lines.map(({ text }) => text)).toEqual(['ann has drawn a card.'])
  })

  it('is played with the messages of the protocol', () => {
    const made = table()
    server.tell(...round, { type: 'extras_scene', scene, moves: [], names: [] })
    made.desk.toggle('a')
    made.desk.start('discard')
    expect(server.sent.at(-1)).toEqual({ type: 'discard', card_id: 'a' })
  })

  it('gains the winner what the others held', () => {
    const made = table()
    server.tell(...round, { type: 'end', winner_id: 'ann', hand_values: { bob: 30 } })
    expect(resultOf(made.state)).toEqual({
      winners: [0],
      points: { 0: '+30', 1: 'held 30' },
      what: 'This round',
    })
    // The lobby that follows does not wipe it off the table.
    server.tell(lobby)
    expect(made.state.phase).toBe('over')
  })
})
