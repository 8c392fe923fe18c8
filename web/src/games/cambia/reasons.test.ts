import { describe, expect, it } from 'vitest'
import type { HouseRules, Message } from './messages'
import { reasons, type Reasons } from './reasons'
import {
  after,
  called,
  dealt,
  drew,
  inGame,
  king,
  kingLooked,
  lobbyOf,
  saw,
  turn,
} from './recorded'
import type { TableState } from './state'

const why = ({ game, me }: TableState, picks = 0): Reasons => reasons(game!, me, picks)
const withRules = (rules: Partial<HouseRules>, ...messages: Message[]): TableState =>
  after(lobbyOf('in_game'), dealt({}, rules), ...messages)
const blind: Message = { ...king, special: 'swap_blind' } as Message

describe('why nothing happened', () => {
  it('is somebody else’s turn', () => {
    const { draw, discard, call } = why(inGame(turn('bob')))
    expect([draw, discard, call]).toEqual(Array(3).fill('It is Bob’s turn.'))
  })

  it('is the order of things in one’s own turn', () => {
    const first = why(inGame())
    expect([first.draw, first.call, first.discard]).toEqual(['', '', 'Draw a card first.'])
    const then = why(inGame(drew('new'), saw))
    expect([then.discard, then.draw.slice(0, 21)]).toEqual(['', 'You have drawn a card'])
    expect(then.call).toContain('before drawing')
    const choosing = why(inGame(king))
    expect([choosing.skip, choosing.draw]).toEqual([
      '',
      'Use the ability of the card you discarded, or skip it.',
    ])
  })

  it('is a rule of the table', () => {
    expect(why(inGame()).take).toContain('nobody draws from the discard pile')
    expect(why(withRules({ allowDrawFromDiscardPile: true })).take).toBe('')
    expect(why(inGame(called('bob'), turn('ann'))).call).toBe('Cambia has been called already.')
  })

  it('is a locked hand, or nothing to match', () => {
    expect(why(inGame()).snap).toBe('')
    expect(why(inGame(called('ann'), turn('bob'))).snap).toContain('locked')
    expect(why(after(lobbyOf('in_game'), dealt({ discardTop: null, discardSize: 0 }))).snap).toBe(
      'There is no discard to match.',
    )
  })

  it('is a swap without its two cards', () => {
    expect(why(inGame()).swap).toBe('There is nothing to swap now.')
    expect([0, 1, 2].map((picks) => why(inGame(blind), picks).swap)).toEqual([
      'Choose two cards to swap.',
      'Choose two cards to swap.',
      '',
    ])
    expect(why(inGame(king, kingLooked)).swap).toBe('')
  })

  it('is that the game has not begun, or is over', () => {
    const look = after(lobbyOf('in_game'), dealt({ preGameActive: true }))
    expect([why(look).draw, why(look).snap]).toEqual(
      Array(2).fill('The game has not begun yet: look at your cards.'),
    )
  })
})
