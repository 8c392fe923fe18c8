import { describe, expect, it } from 'vitest'
import type { ServerMessage } from './messages'
import { everybody, gameState, greeting, judging, person, players } from './recorded'
import { emptyTable, fold, type TableState } from './state'
import { awaited, banner, filled, textOf, told, winnerOfRound, winnersOfGame } from './words'

const after = (...messages: ServerMessage[]): TableState =>
  messages.reduce((state, message) => fold(state, message, 0), emptyTable)

const tell = (before: TableState, message: ServerMessage): ReturnType<typeof told> =>
  told(before, message, fold(before, message, 0), 'en')

describe('the banner', () => {
  const two = gameState({ black_card: 'b_two' })

  it('counts the cards that are still to be chosen', () => {
    const state = after(...greeting(1, two))
    expect([0, 1, 2].map((chosen) => banner(state, 0, chosen))).toEqual([
      'Choose two cards.',
      'And one card more.',
      'Happy with it? Play!',
    ])
  })

  it('names those who are waited for, not the idle nor oneself', () => {
    const idle = [...everybody.slice(0, 3), person(3, 'Ruff', { idle: true })]
    const state = after(...greeting(0), players(idle))
    expect(awaited(state).map(({ name }) => name)).toEqual(['Bob', 'Cid'])
    expect(banner(state, 0, 0)).toBe('You judge this round. Waiting for Bob and Cid.')
  })

  it('tells the judge to turn answers over, then to crown one', () => {
    const state = after(...greeting(0, judging))
    expect(banner(state, 2, 0)).toContain('turn the answers over')
    expect(banner(state, 3, 0)).toBe('Crown the one you like best.')
    expect(banner(after(...greeting(1, judging)), 3, 0)).toBe('Ann reads the answers.')
  })

  it('says who won, and whether by their own verdict', () => {
    const won = { ...judging, stage: 'round_end' as const, winning_play: 0, winning_player: 2 }
    expect(winnerOfRound(after(...greeting(1, won)))).toBe('Cid won this round!')
    expect(winnerOfRound(after(...greeting(2, won)))).toBe('You won this round!')
    const self = { ...won, winning_player: 0, judge_voted_self: true }
    expect(winnerOfRound(after(...greeting(1, self)))).toBe('Ann won, by their own verdict!')
    const left = { ...won, winning_player: 9 }
    expect(winnerOfRound(after(...greeting(1, left)))).toBe('Somebody who has left won this round!')
  })

  it('says who won the game, oneself first', () => {
    const end = (winners: number[]): TableState =>
      after(
        ...greeting(
          1,
          gameState({ stage: 'game_end', game_results: { winners, trophy_winners: [] } }),
        ),
      )
    expect(winnersOfGame(end([2]))).toBe('Cid won the game!')
    expect(winnersOfGame(end([0, 1]))).toBe('You and Ann won the game together!')
  })
})

describe('cards in words', () => {
  it('are read in the language one reads, and handwritten ones as they are', () => {
    const state = after(...greeting(1))
    expect(filled(state, ['w_soup'], 'de')).toBe('Endlich: Cold soup zum Frühstück.')
    expect(textOf(state, 'custom_w5xiZXI=', 'de')).toEqual({ text: 'Über', lang: '' })
    expect(textOf(state, 'w_unknown', 'en').text).toBe('…')
  })
})

describe('what is told', () => {
  it('of a new round is its judge, its card and what to do', () => {
    const next = gameState({
      round: 2,
      black_card: 'b_question',
      judge: 1,
      pending_players: [0, 2, 3],
    })
    const news = tell(after(...greeting(2)), next)
    expect(news.written).toBe('Round 2: Bob judges.')
    expect(news.aloud).toBe(
      'Round 2. Bob judges. The card reads: What is in the box? Choose one card.',
    )
  })

  it('of somebody else’s play is nothing', () => {
    const before = after(...greeting(1))
    expect(tell(before, gameState({ pending_players: [1, 2] }))).toEqual({})
  })

  it('of a verdict is the winner and the whole sentence', () => {
    const won = { ...judging, stage: 'round_end' as const, winning_play: 1, winning_player: 2 }
    const news = tell(after(...greeting(1, judging)), won)
    expect(news.written).toBe('Cid won this round! “At last: Cold soup for breakfast.”')
    expect(news.aloud).toBe(news.written)
  })

  it('of another judge in mid-round is who it is', () => {
    expect(tell(after(...greeting(1)), gameState({ judge: 1 })).aloud).toBe('You judge now.')
  })

  it('of a list of players is who came', () => {
    const before = after(...greeting(1))
    expect(tell(before, players()).written).toBe('')
    const changed = players([...everybody.slice(0, 3), person(7, 'Zoe')])
    expect(tell(before, changed)).toEqual({
      written: 'Zoe sat down.',
      aloud: 'Zoe sat down.',
    })
    const lobby = after(...greeting(1, gameState({ stage: 'game_starting' })))
    expect(tell(lobby, changed)).toEqual({ written: 'Zoe sat down.' })
  })

  it('of a skip is the card that went', () => {
    const skipped = {
      msg: 's_notify_skipped',
      skipped_id: 'b_one',
      replacement_id: 'b_two',
    } as const
    expect(tell(after(...greeting(1)), skipped).written).toContain('At last: ______ for breakfast.')
  })
})
