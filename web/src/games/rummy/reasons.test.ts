import { describe, expect, it } from 'vitest'
import { reasons, type Picked } from './reasons'
import { emptyTable, type TableState } from './state'

const round = (changes: Partial<TableState> = {}): TableState => ({
  ...emptyTable,
  phase: 'round',
  me: 'ann',
  players: ['ann', 'bob'].map((id) => ({ id, name: id.toUpperCase(), human: true })),
  deck: ['d'],
  discard: ['e'],
  hands: { ann: ['a', 'b', 'c'], bob: ['x'] },
  melds: [['m']],
  turn: { player: 'ann', step: 'play' },
  ...changes,
})
const pick = (...cards: string[]): Picked => ({ cards, layable: [] })
const why = (changes: Partial<TableState>, picked = pick('a')) => reasons(round(changes), picked)

describe('why nothing happened', () => {
  it('is the other’s turn, the end or the deal, whatever was meant', () => {
    const all = (changes: Partial<TableState>): Set<string> =>
      new Set(Object.values(why(changes, { cards: ['a'], layable: [0] })))
    expect(all({ turn: { player: 'bob', step: 'draw' } })).toEqual(new Set(['It is BOB’s turn.']))
    expect(all({ phase: 'over' })).toEqual(new Set(['The round is over.']))
    expect(all({ turn: null })).toEqual(new Set(['The cards are being dealt.']))
  })

  it('is the order of things in one’s own turn', () => {
    const before = why({ turn: { player: 'ann', step: 'draw' } }, pick('a', 'b', 'c'))
    expect([before.draw, before.take]).toEqual(['', ''])
    expect([before.meld, before.lay, before.discard]).toEqual(Array(3).fill('Draw a card first.'))
    const after = why({})
    expect([after.draw, after.take]).toEqual(Array(2).fill('You have drawn a card already.'))
  })

  it('is an empty pile', () => {
    const empty = why({ turn: { player: 'ann', step: 'draw' }, deck: [], discard: [] })
    expect([empty.draw, empty.take]).toEqual([
      'The deck is empty: take the discard.',
      'The discard pile is empty.',
    ])
  })

  it('is what was picked', () => {
    expect(why({}, pick('a', 'b')).meld).toBe('Pick three or more cards to meld.')
    expect(why({}, pick('a', 'b', 'c')).meld).toBe('')
    expect(why({}, pick()).discard).toBe('Pick one card to discard.')
    expect(why({}, pick('a', 'b')).discard).toBe('Pick one card to discard.')
    expect(why({}, pick('a')).discard).toBe('')
  })

  it('is a card just taken, unless it is the last', () => {
    expect(why({ taken: 'a' }).discard).toContain('straight back')
    expect(why({ taken: 'b' }).discard).toBe('')
    expect(why({ taken: 'a', hands: { ann: ['a'] } }).discard).toBe('')
  })

  it('is that no meld takes it', () => {
    expect(why({ melds: [[]] }).lay).toBe('No meld lies on the table yet.')
    expect(why({}, pick()).lay).toBe('Pick a card to lay on a meld.')
    expect(why({}, pick('a')).lay).toBe('This card fits none of the melds.')
    expect(why({}, pick('a', 'b')).lay).toBe('These cards together fit none of the melds.')
    expect(why({}, { cards: ['a'], layable: [0] }).lay).toBe('')
  })
})
