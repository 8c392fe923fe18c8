import { describe, expect, it } from 'vitest'
import type { Card, Message } from './messages'
import { after, blank, card, dealt, lobby, wild } from './recorded'
import { fold } from './state'
import { asked, result, sentence, told, whatFits, whyNotPlay } from './words'

/** What is said of `message`, which follows `before`. */
function said(message: Message, ...before: Message[]): string {
  const table = after(...before)
  return told(table, message, fold(table, message))
}

const played = (seat: number, more: object = {}): Message => ({
  type: 'played',
  seat,
  index: 0,
  card: card(1, 5),
  color: 1,
  direction: 1,
  ...more,
})

describe('what happened', () => {
  it('is told of others by name, and of oneself as you', () => {
    expect(said(played(0))).toBe('You played red 5.')
    expect(said(played(2, { card: card(1, -1, 1), direction: -1 }))).toBe(
      'Amber played red reverse. Play now goes left.',
    )
    expect(said(played(2, { card: wild, color: 3 }))).toBe('Amber played a wild and chose green.')
    expect(said({ type: 'skipped', seat: 0 })).toBe('You are skipped.')
    expect(said({ type: 'skipped', seat: 1 })).toBe('Ben is skipped.')
    expect(said({ type: 'passed', seat: 1, why: 'timeout' })).toBe('Ben’s time ran out.')
    expect(said({ type: 'passed', seat: 0, why: 'limit' })).toBe('You passed.')
  })

  it('says who has one card left', () => {
    expect(said(played(1))).toBe('Ben played red 5. Ben has one card left!')
    const two = dealt()
    two.players[0]!.cards = [card(1, 5), wild]
    expect(said(played(0), two)).toBe('You played red 5. You have one card left!')
  })

  it('names the cards one drew oneself, and counts those of others', () => {
    const drew = (seat: number, why: string, cards = [blank, blank]): Message => ({
      type: 'drew',
      seat,
      cards,
      why,
    })
    expect(said(drew(0, 'asked-for', [card(0, 4)]))).toBe('You drew blue 4.')
    expect(said(drew(0, 'forced', [card(0, 4), wild]))).toBe('You had to draw blue 4 and wild.')
    expect(said(drew(1, 'forced'))).toBe('Ben had to draw 2 cards.')
    expect(said(drew(1, 'asked-for', [blank]))).toBe('Ben drew 1 card.')
  })

  it('begins and ends', () => {
    expect(said({ ...dealt(), type: 'dealt' })).toBe(
      'A new game: You, Ben and Amber. Red 7 is turned up.',
    )
    expect(said({ type: 'ended', winner: 0, how: '' })).toBe('You won!')
    expect(said({ type: 'ended', winner: 1, how: '' })).toBe('Ben won!')
    expect(said({ type: 'ended', winner: null, how: 'abandoned' })).toBe(
      'The game ended without a winner.',
    )
    expect(result(after())).toBe('')
    // What is only shown is not told.
    expect(said(lobby())).toBe('')
  })
})

describe('the sentence', () => {
  it('says what can be done', () => {
    expect(sentence(after())).toBe('Your turn: play a card that fits, or draw one.')
    const nothing = dealt({ stack: [card(3, 1), card(2, 8)] })
    nothing.players[0]!.cards = [card(1, 5)]
    expect(sentence(after(nothing))).toBe('Your turn: nothing fits. Draw a card.')
    expect(sentence(after({ ...nothing, deck: 0, stack: [card(2, 8)] }))).toContain('Pass.')
    expect(sentence(after(dealt({ turn: 1 })))).toBe('Ben is playing.')
    expect(sentence(after(played(0)))).toBe('One moment …')
    expect(sentence(after({ type: 'ended', winner: 1, how: '' }))).toBe('Ben won!')
  })

  it('says what fits', () => {
    const on = (top: Card): string => whatFits(after(dealt({ stack: [top] })).game!)
    expect(on(card(1, 7))).toBe('red, 7 or a wild')
    expect(on(card(0, -1, 2))).toBe('blue, skip or a wild')
    expect(on({ ...wild, Color: 3 })).toBe('green or a wild')
  })

  it('reads out what can be played', () => {
    expect(asked(after())).toBe('Your turn, on red 7. You can play red 5, wild and red skip.')
    expect(asked(after(dealt({ stack: [{ ...wild, Color: 0 }] })))).toBe(
      'Your turn, on blue wild. You can play wild and blue 2.',
    )
    expect(asked(after(dealt({ turn: 1 })))).toBe('')
  })
})

it('says why a card can’t be played', () => {
  const [red, , blue] = after().game!.seats[0]!.hand
  expect(whyNotPlay(after(), red!)).toBe('')
  expect(whyNotPlay(after(), blue!)).toBe('That does not go on a red 7.')
  expect(whyNotPlay(after(dealt({ turn: 1 })), red!)).toBe('It is Ben’s turn.')
  expect(whyNotPlay(after({ type: 'ended', winner: 1, how: '' }), red!)).toBe('The game is over.')
})
