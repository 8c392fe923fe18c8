import { describe, expect, it } from 'vitest'
import houseRules from '../../../../tests/golden/cambia-house-rules.txt?raw'
import { dealt, ended, heardBy, inGame, lobbyOf } from './recorded'
import { emptyTable, fold, leaveGame, resultOf } from './state'

describe('a recorded game', () => {
  it.each(['seat0', 'seat2', 'watcher'])('has its players and its result for %s', (viewer) => {
    const heard = heardBy(viewer, houseRules)
    const end = heard.findIndex(({ type }) => type === 'game_end')
    const table = heard.slice(0, end + 1).reduce((state, one) => fold(state, one, 0), emptyTable)
    const { winners = [], points = {} } = resultOf(table) ?? {}
    const told = heard[end]
    if (told?.type !== 'game_end') throw new Error('the game does not end')
    expect(winners.map((seat) => table.game?.players[seat]?.id)).toEqual(told.payload.winners)
    expect(Object.values(points)).toHaveLength(table.game!.players.length)
  })
})

describe('a table between its games', () => {
  it('shows a result until it has been seen', () => {
    const over = fold(inGame(ended()), lobbyOf('post_game'), 0)
    expect(over.game?.result?.winner).toBe('bob')
    expect(leaveGame(over).game).toBeNull()
    expect(leaveGame(inGame()).game).not.toBeNull()
  })

  it('forgets a game that ended while we were disconnected', () => {
    expect(fold(inGame(), lobbyOf('post_game'), 0).game).toBeNull()
  })

  it('keeps the game that is told again, and shows a new one', () => {
    const scene = { viewer: 0, seats: [], zones: [], prompt: '' }
    const before = { ...inGame(), scene }
    expect(fold(before, dealt(), 0).scene).toBe(scene)
    expect(fold(before, dealt({ gameId: 'next' }), 0).scene).toBeNull()
  })

  it('counts down by this machine’s clock, until the phase changes', () => {
    const open = fold(emptyTable, lobbyOf('countdown'), 0)
    const counting = fold(open, { type: 'phase_change', phase: 'countdown', seconds: 7 }, 100)
    expect(counting.countdown).toEqual({ until: 7100, total: 7000 })
    expect(fold(counting, lobbyOf('countdown'), 200).countdown).not.toBeNull()
    expect(fold(counting, lobbyOf('open'), 200).countdown).toBeNull()
  })
})

describe('a result', () => {
  it('ranks the lowest first, and whoever has no score last', () => {
    const circuit = { totals: { ann: 30, bob: 4, cid: 12 }, over: false, champions: [] }
    const result = resultOf(inGame(ended({ scores: { ann: 9, bob: 4 }, circuit })))
    expect(result?.ranked).toEqual([1, 0, 2])
    expect(result?.points).toEqual({ 0: 9, 1: 4, 2: 'forfeit' })
    expect(result?.totals).toEqual({ 0: 30, 1: 4, 2: 12 })
    expect(resultOf(inGame())).toBeNull()
  })
})
