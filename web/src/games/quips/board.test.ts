import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { announcer } from '../../lib/announcer.svelte'
import type { Choice, Scene } from '../../protocol/extras'
import { SceneDesk } from '../../scenes/desk.svelte'
import { QuipsBoard } from './board.svelte'
import { allCards, everybody, judging, playing } from './recorded'

type Sent = [string, unknown]
let sent: Sent[]

beforeEach(() => {
  sent = []
  announcer.lines = []
  vi.useFakeTimers()
  vi.stubGlobal('document', { hidden: true, querySelector: () => null })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

interface Played {
  board: QuipsBoard
  show: (scene: Scene, judgeTurns?: boolean) => void
}

function at(scene: Scene, judgeTurns = true, watch = false): Played {
  const desk = new SceneDesk({
    act: watch ? null : (action, fields) => void sent.push([action, fields]),
  })
  desk.sitters = { ...everybody.map(({ name, is_bot }) => ({ name, bot: is_bot })) }
  const board = new QuipsBoard(desk)
  board.cards.packs = allCards.packs
  const show = (next: Scene, turns = judgeTurns): void => {
    desk.take(next)
    board.settle(turns)
  }
  show(scene)
  return { board, show }
}

describe('choosing', () => {
  it('fills one gap, and a second thought replaces the first', () => {
    const { board } = at(playing())
    expect(board.whyNotPlay).not.toBe('')
    board.tap('slot 0')
    board.tap('slot 1')
    expect(board.fillings).toEqual([{ card: 'slot 1' }])
    board.play()
    expect(sent).toEqual([['play', { cards: [1] }]])
  })

  it('fills several gaps in the order of choosing, and no more', () => {
    const { board } = at(playing(2))
    board.tap('slot 2')
    board.play()
    expect(sent).toEqual([])
    board.tap('slot 0')
    board.tap('slot 1')
    board.play()
    expect(sent).toEqual([['play', { cards: [2, 0] }]])
    board.tap('slot 2')
    expect(board.fillings).toEqual([{ card: 'slot 0' }])
  })

  it('plays what one writes, once there is something written, and no more than one has', () => {
    const { board } = at(playing(2))
    board.takeBlank()
    board.takeBlank()
    expect(board.fillings).toHaveLength(1)
    board.tap('slot 1')
    expect(board.whyNotPlay).toContain('Write something')
    board.fillIn(0, ' Über  <b ')
    board.play()
    expect(sent).toEqual([['play', { cards: ['Über b', 1] }]])
  })

  it('keeps what is still in the hand, until the card is played', () => {
    const { board, show } = at(playing(2))
    board.tap('slot 0')
    board.tap('slot 1')
    show(playing(2, ['Cold soup', 'A brass band']))
    expect([board.fillings, board.lifted]).toEqual([[{ card: 'slot 1' }], 'slot 1'])
    show(playing(2, ['Cold soup'], { choices: [] }))
    expect([board.fillings, board.asked]).toEqual([[], ''])
  })

  it('offers upgrades one can pay for, and discards one has', () => {
    const { board, show } = at(playing())
    const [duck, soup] = board.hand
    expect(board.whyNotUpgrade(duck!)).toContain('costs 2')
    expect(board.whyNotUpgrade(soup!)).toContain('no better')
    board.discard('slot 1')
    const choices = playing().choices ?? []
    const one = (action: string, slot: number): Choice => ({
      action,
      fields: { slot: { type: 'one', of: [slot] } },
      optional: true,
    })
    show(playing(1, undefined, { choices: [...choices, one('upgrade', 0), one('discard', 1)] }))
    board.upgrade(board.hand[0]!)
    board.discard('slot 1')
    expect(sent).toEqual([
      ['upgrade', { slot: 0 }],
      ['discard', { slot: 1 }],
    ])
  })
})

describe('judging', () => {
  it('is turning answers over one by one, and crowning one that lies open', () => {
    const { board, show } = at(judging(0))
    vi.advanceTimersByTime(60_000)
    expect([board.turned.size, board.nextDown]).toEqual([0, 0])
    board.crown()
    board.turn(2)
    show(judging(0, ['', '', 'being read']))
    expect(announcer.lines.map(({ text }) => text)).toContain('Answer 3: Über.')
    board.turn(board.nextDown)
    show(judging(0, ['being read', '', 'turned over']))
    expect([[...board.turned], board.looked]).toEqual([[0, 2], 0])
    board.turn(2)
    expect(board.answers?.map(({ face }) => face)).toEqual(['Über'])
    board.crown()
    expect(sent).toEqual([
      ['turn', { index: 2 }],
      ['turn', { index: 0 }],
      ['judge', { index: 2 }],
    ])
  })

  it('is seen by others as the judge turns answers over, and not before', () => {
    const { board, show } = at(judging(1))
    vi.advanceTimersByTime(60_000)
    expect(board.turned.size).toBe(0)
    show(judging(1, ['', 'being read', '']))
    expect([[...board.turned], board.looked]).toEqual([[1], 1])
    board.turn(0)
    expect(sent).toEqual([])
  })

  it('goes on by itself where the judge turns nothing over, and ends with the winner', () => {
    const { board, show } = at(playing())
    show(judging(1), false)
    expect(board.turned.size).toBe(0)
    vi.advanceTimersByTime(1200)
    expect([[...board.turned], board.looked]).toEqual([[0], 0])
    expect(announcer.lines.at(-1)?.text).toBe('Answer 1: A brass band.')
    vi.advanceTimersByTime(30_000)
    expect(board.turned.size).toBe(3)
    show(judging(1, ['', 'wins', '']))
    expect([board.stage, board.looked, board.turned.size]).toEqual(['round_end', 1, 3])
  })

  it('by a bot lies open in a replay; by a person, what was turned over', () => {
    const { board } = at(judging(null, ['', 'being read', '']), true, true)
    const desk = new SceneDesk()
    desk.sitters = board.desk.sitters
    const replay = new QuipsBoard(desk)
    desk.take(judging(null, ['', 'being read', '']))
    expect([...replay.turned]).toEqual([1])
    desk.sitters = { ...desk.sitters, 0: { name: 'Ann', bot: true } }
    expect(replay.turned.size).toBe(3)
  })
})

describe('the people', () => {
  it('judge, choose, have played or are idle', () => {
    const marks = [['judge'], ['still to play'], ['idle', 'still to play'], []]
    const seats = playing().seats.map((one, at) => ({ ...one, marks: marks[at]! }))
    const { board, show } = at(playing(1, undefined, { seats }))
    expect(board.people.map(({ doing }) => doing)).toEqual(['judge', 'choosing', 'idle', 'played'])
    show({ ...judging(1), seats })
    expect(board.people.map(({ doing }) => doing)).toEqual(['judge', '', 'idle', ''])
  })

  it('skip a card by more than half of those who are awake and no bots', () => {
    const wants = 'wants another black card'
    const seats = playing().seats.map((one) => ({ ...one, marks: [wants] }))
    const { board } = at(playing(1, undefined, { seats }))
    expect(board.votes).toEqual({ cast: 3, needed: 2 })
    seats[0]!.marks = ['idle', wants]
    expect(at(playing(1, undefined, { seats })).board.votes).toEqual({ cast: 2, needed: 2 })
  })
})

describe('a card', () => {
  it('is read in one’s own language, and stays as it is where no pack has it', () => {
    const { cards } = at(playing()).board
    cards.language = 'de'
    expect(cards.of('A duck')).toMatchObject({ text: 'Eine Ente', lang: 'de' })
    expect(cards.of('A duck').better?.id).toBe('w_duck_2')
    expect(cards.of('Über')).toEqual({ text: 'Über', lang: '' })
  })
})
