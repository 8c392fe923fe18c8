import { describe, expect, it } from 'vitest'
import type { ServerMessage } from './messages'
import {
  clientInfo,
  everybody,
  gameState,
  greeting,
  hand,
  judging,
  person,
  players,
} from './recorded'
import {
  asked,
  emptyTable,
  fold,
  pickOf,
  ranking,
  standing,
  upgradeOf,
  votes,
  type TableState,
} from './state'

const after = (...messages: ServerMessage[]): TableState =>
  messages.reduce((state, message) => fold(state, message, 1000), emptyTable)

describe('the fold', () => {
  it('adds a greeting up to the table as it stands', () => {
    const state = after(...greeting(1))
    expect([state.me, state.name, state.token]).toEqual([1, 'Bob', 'f'.repeat(32)])
    expect([state.hand, state.blanks, state.discards, state.points]).toEqual([
      ['w_duck', 'w_soup', 'w_band'],
      1,
      1,
      1,
    ])
    expect(state.whites.get('w_duck')?.content['en']).toBe('A duck')
    expect(state.whites.has('b_one')).toBe(false)
    expect(state.blacks.get('b_two')?.pick).toBe(2)
    expect(state.packOf.get('w_soup')?.name).toBe('A small pack')
  })

  it('keeps when a stage began, however often its state is told again', () => {
    let state = fold(emptyTable, gameState(), 1000)
    state = fold(state, gameState({ pending_players: [1] }), 2000)
    expect(state.since).toBe(1000)
    state = fold(state, judging, 3000)
    expect(state.since).toBe(3000)
    state = fold(state, gameState({ stage: 'judging', round: 2 }), 4000)
    expect(state.since).toBe(4000)
  })

  it('numbers what is said, and forgets what was said long ago', () => {
    const said = (body: string): ServerMessage => ({ msg: 's_chat_msg', author: 'Ann', body })
    const state = after(...Array.from({ length: 70 }, (_, n) => said(`line ${n}`)))
    expect(state.chat).toHaveLength(60)
    expect(state.chat.at(-1)).toEqual({ id: 69, author: 'Ann', body: 'line 69' })
    expect(new Set(state.chat.map(({ id }) => id)).size).toBe(60)
  })

  it('is not changed by messages it does not know', () => {
    const state = after(...greeting(1))
    expect(fold(state, { msg: 's_later' } as unknown as ServerMessage, 0)).toBe(state)
  })
})

describe('what is asked of a visitor', () => {
  it('is to play while pending, and to wait for the others after it', () => {
    expect(asked(after(...greeting(1)))).toBe('play')
    expect(asked(after(...greeting(1), { msg: 's_cardsplayed', selection: ['w_soup'] }))).toBe(
      'wait',
    )
    expect(asked(after(...greeting(1), gameState({ pending_players: [2] })))).toBe('wait')
  })

  it('is to judge, for the judge, when all have played', () => {
    expect(asked(after(...greeting(0)))).toBe('wait')
    expect(asked(after(...greeting(0, judging)))).toBe('judge')
    expect(asked(after(...greeting(1, judging)))).toBe('wait')
  })

  it('is nothing of a spectator, though nobody judges before the first round', () => {
    const watching = after(players(), gameState({ stage: 'judging', judge: -1 }))
    expect(asked(watching)).toBe('watch')
  })

  it('is to be ready where the table waits for that, once', () => {
    const starting = gameState({ stage: 'game_starting', ready_up: true })
    expect(asked(after(...greeting(1, starting)))).toBe('ready')
    expect(asked(after(...greeting(1, { ...starting, ready_up: false })))).toBe('wait')
    const ready = players([person(1, 'Bob', { ready_up: true })])
    expect(asked(after(clientInfo(1, 'Bob'), ready, starting))).toBe('wait')
  })
})

describe('who does what', () => {
  it('is judging, choosing, done or idle', () => {
    const state = after(...greeting(1, gameState({ pending_players: [1, 2] })))
    const [ann, bob, cid, ruff] = everybody
    expect(standing(state, ann!)).toBe('judge')
    expect(standing(state, bob!)).toBe('choosing')
    expect(standing(state, { ...cid!, idle: true })).toBe('idle')
    expect(standing(state, ruff!)).toBe('played')
    expect(standing(fold(state, judging, 0), bob!)).toBe('')
  })

  it('has the highest score first, and equals as they came', () => {
    const list = [
      person(0, 'Ann', { score: 1 }),
      person(1, 'Bob', { score: 3 }),
      person(2, 'Cid', { score: 1 }),
    ]
    expect(ranking(list).map(({ name }) => name)).toEqual(['Bob', 'Ann', 'Cid'])
    expect(list[0]?.name).toBe('Ann')
  })

  it('skips a card by more than half of the people who are awake', () => {
    const voting = (list: Parameters<typeof players>[0]): TableState => after(players(list))
    const yes = { voted_skip: true }
    expect(votes(voting(everybody))).toEqual({ cast: 0, needed: 2 })
    expect(votes(voting([person(0, 'A', yes), person(1, 'B')]))).toEqual({ cast: 1, needed: 2 })
    expect(
      votes(voting([person(0, 'A', yes), person(1, 'B', { idle: true, ...yes }), person(2, 'C')])),
    ).toEqual({ cast: 1, needed: 2 })
  })
})

describe('cards', () => {
  it('say how many answers they take, and what they can become', () => {
    const state = after(...greeting(1, gameState({ black_card: 'b_two' })), hand())
    expect(pickOf(state)).toBe(2)
    expect(upgradeOf(state, 'w_duck')?.id).toBe('w_duck_2')
    expect([upgradeOf(state, 'w_soup'), upgradeOf(state, 'w_duck_2')]).toEqual([null, null])
    expect(upgradeOf(state, 'custom_eA==')).toBe(null)
  })
})
