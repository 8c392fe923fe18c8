import { describe, expect, it } from 'vitest'
import type { BoardMessage } from '../../protocol/mo'
import recorded from './tutorial.json'
import { ended, lackOf, pileName, prompt, remark, STRIKE, told } from './words'

const boards = recorded as unknown as Record<string, BoardMessage>
const setup = boards['setup']!
const midgame = boards['midgame']!

describe('a pile is called', () => {
  it('by its place, its top, its height and whether it takes the card', () => {
    expect(pileName(boards['midgame b2']!, 'b2')).toBe('b2, 6 of clubs on top, 2 cards, valid')
    expect(pileName(setup, 'c3')).toBe('c3, empty')
    expect(pileName(setup, 'a3', true)).toBe('a3, no royal, valid, hint')
    expect(pileName(setup, 'e5')).toBe('e5, draw pile, king of clubs on top, 45 cards')
  })

  it('with whom a card there would defeat', () => {
    expect(pileName(midgame, 'b2')).toBe(
      'b2, 6 of spades on top, 1 card, valid, defeats the jack of diamonds and jack of clubs',
    )
  })

  it('with a royal’s armour and what its lane lacks, until it is defeated', () => {
    expect(pileName(midgame, 'e2')).toBe(
      'e2, jack of diamonds with armour 3 of diamonds, counts 14 of 20, falls to a card on b2',
    )
    expect(pileName(midgame, 'b1')).toBe(
      'b1, king of spades, counts 13 of 20, needs 2 more, spades',
    )
    expect(pileName(midgame, 'c1')).toBe('c1, queen of clubs defeated')
  })
})

describe('what is said', () => {
  it('asks for the next card', () => {
    expect(prompt(setup)).toBe('King of clubs: only a3 takes it.')
    expect(prompt(midgame)).toBe('6 of clubs: b2, b3 and c4 take it.')
    expect(prompt(boards['midgame b2']!)).toBe('9 of hearts: eight piles take it.')
  })

  it('explains a pile that takes no card', () => {
    expect(remark(midgame, 'd2')).toBe(
      'D2: 10 of diamonds on top, 1 card. The 6 of clubs may not go here.',
    )
  })

  it('tells plays, defeats and what comes next', () => {
    expect(told(setup, boards['setup a3']!)).toBe(
      'King of clubs to a3. Next, queen of diamonds: only e3 takes it.',
    )
    expect(told(midgame, boards['midgame b2']!)).toBe(
      '6 of clubs to b2. The jack of diamonds on e2 and the jack of clubs on b5 are defeated. ' +
        'Next, 9 of hearts: eight piles take it.',
    )
  })

  it('tells a move taken back and a new deal', () => {
    expect(told(boards['setup a3']!, setup)).toBe(
      'Taken back. Next, king of clubs: only a3 takes it.',
    )
    expect(told(midgame, setup)).toBe('A new game is dealt. Next, king of clubs: only a3 takes it.')
  })

  it('tells once that a game can’t be won any more', () => {
    const lost = { ...boards['setup a3']!, hopeless: 'The king …' }
    expect(told(setup, lost)).toContain('This can’t be won any more.')
    expect(told(lost, { ...boards['setup a3 e3']!, hopeless: 'The king …' })).not.toContain('won')
  })
})

describe('a lane’s chip', () => {
  it('says what is missing, of which suits, or where to strike', () => {
    const lane = (pile: string): string => lackOf(midgame.lanes.find((one) => one.pile === pile)!)
    expect([lane('b1'), lane('e2'), lane('e3')]).toEqual(['+2♠', `${STRIKE} b2`, '+5♥'])
  })
})

describe('an end', () => {
  const end = (reason: string, more: Partial<BoardMessage> = {}): string =>
    ended({ ...midgame, status: 'lost', reason, ...more }).why

  it('has its reason in words', () => {
    expect(end('won', { moves: 68 })).toBe('All twelve royals are down after 68 moves.')
    expect(end('no-place')).toBe('No pile takes the 6 of clubs. Six royals were left to defeat.')
    expect(end('out-of-cards')).toContain('The draw pile is empty.')
    expect(end('repeated')).toContain('third time')
    const heavy = [{ rank: '9', suit: 'hearts', value: 9, face_up: true } as const]
    const piles = { ...midgame.piles, e2: [...heavy, ...(midgame.piles['e2'] as never[])] }
    expect(end('too-strong', { piles })).toBe(
      'The jack of diamonds on e2 counts 23 with its armour, more than 20.',
    )
  })
})
