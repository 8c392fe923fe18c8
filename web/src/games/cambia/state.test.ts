import { describe, expect, it } from 'vitest'
import houseRules from '../../../../tests/golden/cambia-house-rules.txt?raw'
import twoPlayers from '../../../../tests/golden/cambia-two-players.txt?raw'
import type { Message } from './messages'
import {
  after,
  dealt,
  drew,
  heardBy,
  inGame,
  king,
  kingLooked,
  kingSaw,
  lobbyOf,
  peeked,
  saw,
  swapped,
  turn,
} from './recorded'
import {
  conceal,
  emptyTable,
  fold,
  leaveGame,
  playerOf,
  topOf,
  zoneOf,
  type Game,
  type TableState,
} from './state'

const recorded = [
  ['two players', twoPlayers, ['seat0', 'seat1', 'watcher']],
  ['house rules', houseRules, ['seat0', 'seat1', 'seat2', 'watcher']],
] as const

/** Every state of a recorded game as one viewer followed it, with the message that led there. */
function followed(viewer: string, transcript: string): { message: Message; table: TableState }[] {
  let table = emptyTable
  return heardBy(viewer, transcript).map((message) => {
    table = fold(table, message, 0)
    return { message, table }
  })
}

const handsOf = (game: Game): Record<string, string[]> =>
  Object.fromEntries(game.players.map((player) => [player.id, player.hand]))

const game = (table: TableState): Game => {
  if (!table.game) throw new Error('no game')
  return table.game
}

describe.each(recorded)('a recorded game (%s)', (_name, transcript, viewers) => {
  it.each(viewers)('leaves %s knowing where every card lies when it ends', (viewer) => {
    const story = followed(viewer, transcript)
    const end = story.findIndex(({ message }) => message.type === 'game_end')
    const told = story[end]?.message
    if (told?.type !== 'game_end') throw new Error('the game does not end')
    const truth = Object.entries(told.payload.hands).map(([id, hand]) => [
      id,
      hand.map((card) => card.id),
    ])
    expect(handsOf(game(story[end - 1]!.table))).toEqual(Object.fromEntries(truth))
    expect(game(story[end]!.table).step).toBe('over')
  })

  it.each(viewers)('keeps the number of cards %s counts', (viewer) => {
    const counts = followed(viewer, transcript)
      .filter(({ table }) => table.game)
      .map(({ table }) => {
        const { players, stockpile, discards } = game(table)
        return players.reduce(
          (sum, player) => sum + player.hand.length + (player.drawn ? 1 : 0),
          stockpile + discards,
        )
      })
    expect(new Set(counts)).toEqual(new Set([54]))
  })

  it('shows a spectator nothing but what lies open for all', () => {
    for (const { message, table } of followed('watcher', transcript)) {
      if (!table.game || table.game.result) continue
      const hidden = table.game.players.flatMap((player) => player.hand)
      const seen = hidden.filter((card) => table.game?.faces[card])
      // With `remindKnown` what was taken off the discard pile stays known.
      if (!table.game.rules.remindKnown) expect(seen, message.type).toEqual([])
    }
  })
})

describe('the first look', () => {
  it('lasts until play begins', () => {
    const story = followed('seat0', twoPlayers)
    const looking = story.filter(({ table }) => table.game?.step === 'look').at(-1)
    const playing = story.find(({ table }) => table.game?.step === 'draw')
    const shown = (table: TableState | undefined): number =>
      table?.game?.players.flatMap(({ hand }) => hand.filter((card) => table.game?.faces[card]))
        .length ?? -1
    expect(shown(looking?.table)).toBe(2)
    expect(shown(playing?.table)).toBe(0)
  })
})

describe('faces', () => {
  it('are shown for a moment and then have to be remembered', () => {
    const table = inGame(peeked)
    expect(game(table)).toMatchObject({
      faces: { a1: { rank: 'O', suit: 'R', value: 0 } },
      open: { a1: 'peek' },
    })
    expect(game(conceal(table, ['a1'])).faces['a1']).toBeUndefined()
  })

  it('stay where the house reminds, until the card moves unseen', () => {
    const reminded = after(lobbyOf('in_game'), dealt({}, { remindKnown: true }), kingSaw)
    const later = conceal(reminded, ['a0', 'b2'])
    expect(game(later).faces['a0']?.rank).toBe('Q')
    expect(game(later).open).toEqual({})
    const moved = fold(later, swapped('swap_blind', 'cid'), 0)
    expect(game(moved).faces['a0']).toBeUndefined()
  })

  it('of a King’s two cards go with them when their player swaps them', () => {
    const table = inGame(drew('new'), saw, king, kingSaw, kingLooked)
    expect(game(table)).toMatchObject({ step: 'decide', ability: { looked: ['a0', 'b2'] } })
    const done = game(fold(table, swapped('swap_peek_swap'), 0))
    expect(handsOf(done)).toMatchObject({
      ann: ['b2', 'a1', 'a2', 'a3'],
      bob: ['b0', 'b1', 'a0', 'b3'],
    })
    expect(done.faces['b2']?.rank).toBe('A')
  })

  it('of a drawn card are turned down when it is kept', () => {
    const discard: Message = {
      type: 'player_discard',
      user: { id: 'ann' },
      card: { id: 'a2', rank: '3', suit: 'H', value: 3, idx: 2, user: { id: 'ann' } },
    }
    const table = game(inGame(drew('new'), saw, discard))
    expect(playerOf(table, 'ann')).toMatchObject({ hand: ['a0', 'a1', 'new', 'a3'], drawn: null })
    expect(table.faces['new']).toBeUndefined()
    expect(topOf(table)).toBe('a2')
    expect(table.faces['a2']?.rank).toBe('3')
  })
})

describe('a snap', () => {
  const snapped: Message = {
    type: 'player_snap_success',
    user: { id: 'ann' },
    card: { id: 'b1', rank: '5', suit: 'D', value: 5, idx: 1, user: { id: 'bob' } },
    payload: { moveDeadline: 16_000 },
  }

  it('of somebody else’s card is owed for, by this machine’s clock, until one is handed over', () => {
    const owing = inGame(snapped)
    expect(playerOf(game(owing), 'bob')?.hand).toEqual(['b0', 'b2', 'b3'])
    expect(playerOf(game(owing), 'ann')?.owesUntil).toBe(20_000)
    const paid = fold(
      owing,
      {
        type: 'player_snap_move',
        user: { id: 'ann' },
        card: { id: 'a3', idx: 1, user: { id: 'bob' } },
        payload: { sourceIdx: 3 },
      },
      0,
    )
    expect(handsOf(game(paid))).toMatchObject({
      ann: ['a0', 'a1', 'a2'],
      bob: ['b0', 'a3', 'b2', 'b3'],
    })
    expect(playerOf(game(paid), 'ann')?.owesUntil).toBeNull()
  })

  it('that fails shows its card to all and draws blind ones', () => {
    const table = game(
      inGame(
        {
          type: 'player_snap_fail',
          user: { id: 'bob' },
          card: { id: 'b0', rank: '9', suit: 'H', value: 9, idx: 0, user: { id: 'bob' } },
        },
        {
          type: 'player_snap_penalty',
          user: { id: 'bob' },
          player: { id: 'bob' },
          card: { id: 'blind' },
          stockpileSize: 38,
          payload: { count: 1, total: 2, stockpileSize: 38 },
        },
      ),
    )
    expect(table.open).toEqual({ b0: 'fail' })
    expect(playerOf(table, 'bob')?.hand).toEqual(['b0', 'b1', 'b2', 'b3', 'blind'])
    expect(table.faces['blind']).toBeUndefined()
    expect(table.stockpile).toBe(38)
  })
})

describe('time', () => {
  it('runs by this machine’s clock, whatever the server’s says', () => {
    expect(game(inGame(turn('bob'))).timer).toEqual({ until: 20_000, total: 15_000 })
  })

  it('of a turn half over is not a full ring', () => {
    const late = after(lobbyOf('in_game'), dealt({ serverNow: 10_000 }))
    expect(game(late).timer).toEqual({ until: 11_000, total: 15_000 })
  })

  it('until a game starts is shown, and called off', () => {
    const counting = after(lobbyOf('open'), {
      type: 'phase_change',
      phase: 'countdown',
      seconds: 3,
    })
    expect(counting.countdown).toEqual({ until: 8_000, total: 3_000 })
    expect(fold(counting, lobbyOf('countdown'), 0).countdown).not.toBeNull()
    expect(fold(counting, { type: 'phase_change', phase: 'open' }, 0).countdown).toBeNull()
  })
})

describe('coming back', () => {
  it('in the middle of a King’s decision shows his two cards again', () => {
    const state = dealt({
      specialAction: {
        active: true,
        playerId: 'ann',
        cardRank: 'K',
        special: 'swap_peek_swap',
        looked: ['a0', 'b2'],
      },
    })
    const first = state.state.players[0]!
    first.revealedHand[0] = { id: 'a0', idx: 0, known: true, rank: 'Q', suit: 'H', value: 12 }
    const table = game(after(lobbyOf('in_game'), state))
    expect(table).toMatchObject({ step: 'decide', open: { a0: 'king' } })
    expect(table.faces['a0']?.rank).toBe('Q')
  })

  it('after the game has ended leads to the lobby; a result that is shown stays', () => {
    expect(fold(inGame(), lobbyOf('post_game'), 0).game).toBeNull()
    const over = inGame({
      type: 'game_end',
      payload: {
        scores: { ann: 3 },
        winner: 'ann',
        winners: ['ann'],
        caller: null,
        penaltyApplied: false,
        winBonusApplied: false,
        reason: 'cambia',
        hands: { ann: [{ id: 'a0', rank: '3', suit: 'C', value: 3, idx: 0 }] },
      },
    })
    expect(fold(over, lobbyOf('post_game'), 0).game?.result?.winner).toBe('ann')
    expect(leaveGame(over).game).toBeNull()
    expect(leaveGame(inGame()).game).not.toBeNull()
  })
})

describe('a viewer', () => {
  it('is told by name where a card lies', () => {
    const table = game(inGame(drew('new')))
    expect(zoneOf(table, 'b1')).toBe('hand:bob')
    expect(zoneOf(table, 'new')).toBe('drawn:ann')
    expect(zoneOf(table, 'top')).toBe('discard')
    expect(zoneOf(table, 'unheard-of')).toBe('stockpile')
  })
})
