import { beforeEach, describe, expect, it, vi } from 'vitest'
import { server } from '../../lib/fake-socket'
import { toasts } from '../../lib/toasts.svelte'
import type { Event, Face, Rank, StartEvent, Suit } from '../../protocol/rummy'
import { settings } from './recorded'
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

describe('finding something to do', () => {
  const face = (rank: Rank, suit: Suit = 'hearts') => ({ suit, rank })
  /** Ann is to play with these cards, and three sevens are melded. */
  function holding(...faces: Face[]): void {
    const cards = faces.map((each, at) => ({ id: `own-${at}`, face: each }))
    const sevens = (['clubs', 'diamonds', 'spades'] as const).map((suit) => ({
      id: suit,
      face: face('7', suit),
    }))
    const [start, ...rest] = round as [StartEvent, ...Event[]]
    server.tell(
      { ...start, card_ids: [...start.card_ids, ...[...cards, ...sevens].map(({ id }) => id)] },
      ...rest.slice(1, -1),
      { type: 'move', cards, destination: { type: 'player', player_id: 'ann', position: 0 } },
      { type: 'move', cards: sevens, destination: { type: 'meld', meld_number: 0, position: 0 } },
      { type: 'turn', player_id: 'ann', state: 'play' },
    )
  }
  const said = () => toasts.list.map((toast) => toast.text)

  beforeEach(() => toasts.clear())

  it('picks the card that is marked as fitting where the hand has no meld', () => {
    const made = table()
    holding(face('7'), face('2'), face('K', 'clubs'))
    expect([...made.fitting]).toEqual(['own-0'])
    made.suggest()
    expect(made.selected).toEqual(['own-0'])
    expect(said()).toEqual([
      'There is no meld in your hand, but the seven of hearts fits one on the table.',
    ])
  })

  it('goes on from melds of the hand to cards that fit', () => {
    const made = table()
    holding(face('7'), face('2'), face('3'), face('4'))
    const found = [1, 2, 3].map(() => (made.suggest(), [...made.selected]))
    expect(found).toEqual([['own-1', 'own-2', 'own-3'], ['own-0'], ['own-1', 'own-2', 'own-3']])
    expect(said()).toEqual([])
  })

  it('says that there is neither', () => {
    const made = table()
    holding(face('9'), face('2'))
    made.suggest()
    expect(made.selected).toEqual([])
    expect(said()).toEqual([
      'There is no meld in your hand, and no card that fits one on the table.',
    ])
  })
})
