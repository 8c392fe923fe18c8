import { describe, expect, it } from 'vitest'
import twoPlayers from '../../../../tests/golden/cambia-two-players.txt?raw'
import type { Message, Result } from './messages'
import {
  called,
  drew,
  heardBy,
  inGame,
  king,
  kingLooked,
  kingSaw,
  peeked,
  saw,
  swapped,
  turn,
} from './recorded'
import { emptyTable, fold, type TableState } from './state'
import { aftermath, aloud, inSigns, lastRound, result, sentence, told, waitingFor } from './words'

const tell = (table: TableState, message: Message, say = inSigns): string =>
  told(table, message, fold(table, message, 0), say)

const ended = (changes: Partial<Result> = {}): TableState =>
  inGame({
    type: 'game_end',
    payload: {
      scores: { ann: 9, bob: 4, cid: 12 },
      winner: 'bob',
      winners: ['bob'],
      caller: 'ann',
      penaltyApplied: true,
      winBonusApplied: false,
      reason: 'cambia',
      hands: {},
      ...changes,
    },
  })

describe('the sentence', () => {
  it('says what may be done now', () => {
    expect(sentence(inGame())).toBe('Your turn: draw from the stockpile, or call Cambia.')
    expect(sentence(inGame(called('bob'), turn('ann')))).toBe(
      'Your last turn: draw from the stockpile.',
    )
    expect(sentence(inGame(drew('new'), saw))).toBe(
      'You drew K♠: replace a card, or discard it to look at any two.',
    )
    expect(sentence(inGame(turn('bob'), drew('new', 'bob')))).toBe('Bob has drawn a card.')
  })

  it('follows the choice of two cards', () => {
    const choosing = inGame({ ...king, special: 'swap_blind' } as Message)
    expect(sentence(choosing)).toBe('Swap any two cards, unseen.')
    expect(sentence(choosing, ['a1'])).toBe('Your card 2, and which other card?')
    expect(sentence(choosing, ['a1', 'b0'])).toBe('Swap your card 2 and Bob’s card 1?')
  })

  it('is there for every moment of a recorded game', () => {
    for (const viewer of ['seat0', 'seat1', 'watcher']) {
      let table = emptyTable
      for (const message of heardBy(viewer, twoPlayers)) {
        table = fold(table, message, 0)
        if (table.game) expect(sentence(table), message.type).toMatch(/^[A-Z].*[.?]$/)
      }
    }
  })

  it('names who called while the last round lasts', () => {
    expect(lastRound(inGame(called('bob')).game!, 'ann')).toBe('Last round: Bob called Cambia.')
    expect(lastRound(inGame().game!, 'ann')).toBe('')
  })
})

describe('what happened', () => {
  it('is told from where one sits', () => {
    expect(tell(inGame(king), kingLooked)).toBe('You looked at your card 1 and Bob’s card 3.')
    expect(tell(inGame(), swapped('swap_blind', 'bob'))).toBe(
      'Bob swapped their own card 3 and your card 1, unseen.',
    )
  })

  it('never writes down a face that is to be remembered, but says it once', () => {
    expect(tell(inGame(), peeked)).toBe('')
    expect(tell(inGame(), peeked, aloud)).toBe('Your card 2 is red joker.')
    expect(tell(inGame(drew('new')), saw)).toBe('')
    expect(tell(inGame(drew('new')), saw, aloud)).toBe('You drew king of spades.')
    expect(tell(inGame(king), kingSaw)).toBe('')
  })

  it('tells apart who skipped and who left two cards lying', () => {
    const skip: Message = { type: 'player_special_action', user: { id: 'ann' }, special: 'skip' }
    expect(tell(inGame(king), skip)).toBe('You skipped the ability.')
    expect(tell(inGame(king, kingLooked), skip)).toBe('You left both cards where they are.')
  })
})

describe('the end', () => {
  it('names the winner, and what calling cost', () => {
    expect(result(ended())).toBe('Bob won with 4 points.')
    expect(aftermath(ended())).toBe('You called Cambia without the lowest hand.')
  })

  it('may be shared, and may have no winner', () => {
    expect(result(ended({ winners: ['bob', 'ann'] }))).toBe(
      'Bob and you share the win with 4 points.',
    )
    expect(result(ended({ winner: null, winners: [] }))).toBe('The game ended without a winner.')
  })

  it('of a circuit names its champions', () => {
    const circuit = { totals: { ann: 9, bob: 4, cid: 100 }, over: true, champions: ['bob'] }
    expect(aftermath(ended({ circuit, caller: null, penaltyApplied: false }))).toBe(
      'The circuit is over: Bob won it.',
    )
  })
})

describe('whom a lobby waits for', () => {
  const ann = { name: 'Ann', you: true, ready: false }
  const bob = { name: 'Bob', you: false, ready: false }
  const cid = { name: 'Cid', you: false, ready: false }

  it('are all who are not ready, oneself last', () => {
    expect(waitingFor([ann, bob, cid])).toBe('Waiting for Bob, Cid and you.')
    expect(waitingFor([{ ...ann, ready: true }, bob])).toBe('Waiting for Bob.')
    expect(waitingFor([ann, { ...bob, ready: true }])).toBe('The others wait for you.')
  })
})
