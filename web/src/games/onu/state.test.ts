import { describe, expect, it } from 'vitest'
import comingAndGoing from '../../../../tests/golden/onu-coming-and-going.txt?raw'
import drawAndPass from '../../../../tests/golden/onu-draw-and-pass.txt?raw'
import twoPlayers from '../../../../tests/golden/onu-two-players.txt?raw'
import { isBlank } from './faces'
import type { Message } from './messages'
import { after, blank, card, dealt, heardBy, lobby, welcome, wild } from './recorded'
import {
  emptyTable,
  fold,
  isMine,
  mySeat,
  nameOf,
  nextSeat,
  nothingToDraw,
  phaseOf,
  putAway,
  topOf,
  type TableState,
} from './state'

const recorded = [
  ['two players', twoPlayers, 2, 54],
  ['draw and pass', drawAndPass, 4, 108],
  ['coming and going', comingAndGoing, 3, 54],
] as const

/** A recorded game as one viewer followed it: each message, and the table before and after it. */
function followed(viewer: string, transcript: string) {
  let table = emptyTable
  return heardBy(viewer, transcript).map((message) => {
    const before = table
    table = fold(table, message)
    return { before, message, table }
  })
}

describe.each(recorded)('a recorded game (%s)', (_, transcript, seats, deck) => {
  const viewers = [...Array.from({ length: seats }, (_, seat) => `seat${seat}`), 'watcher']

  it.each(viewers)('has every card in one place as %s follows it', (viewer) => {
    const games = followed(viewer, transcript).flatMap(({ table }) => table.game ?? [])
    expect(games.length).toBeGreaterThan(20)
    for (const game of games) {
      const cards = [...game.stack, ...game.seats.flatMap(({ hand }) => hand)]
      expect(new Set(cards).size).toBe(cards.length)
      expect(cards.length + game.deck).toBe(deck)
    }
  })

  it.each(viewers)('shows %s their own cards and nobody else’s', (viewer) => {
    const own = viewer === 'watcher' ? -1 : Number(viewer.slice(4))
    for (const { table } of followed(viewer, transcript)) {
      table.game?.seats.forEach(({ hand }, seat) => {
        for (const id of hand) expect(isBlank(table.game!.faces[id]!)).toBe(seat !== own)
      })
    }
  })

  it.each(viewers.slice(0, -1))(
    'takes from the hand of %s the very card that is played',
    (viewer) => {
      const own = Number(viewer.slice(4))
      let plays = 0
      for (const { before, message, table } of followed(viewer, transcript)) {
        if (message.type !== 'played') continue
        expect(topOf(table.game!)).toEqual({ ...message.card, Color: message.color })
        if (message.seat !== own) continue
        const id = before.game!.seats[own]!.hand[message.index]!
        expect(before.game!.faces[id]).toEqual(message.card)
        plays++
      }
      expect(plays).toBeGreaterThan(0)
    },
  )
})

describe('the table', () => {
  const played = (index: number, more: object = {}): Message => ({
    type: 'played',
    seat: 0,
    index,
    card: card(1, 5),
    color: 1,
    direction: 1,
    ...more,
  })

  it('waits for who is asked, and for nobody in between', () => {
    expect(isMine(after())).toBe(true)
    expect(isMine(after(played(0)))).toBe(false)
    const asked: Message = { type: 'prompted', seat: 0, effect: 0, first: false, deadline: 1 }
    expect(isMine(after(played(0), asked))).toBe(true)
    expect(isMine(after(played(0), { ...asked, seat: 1 }))).toBe(false)
    expect(isMine(after({ type: 'ended', winner: 1, how: '' }))).toBe(false)
  })

  it('gives a wild on top its colour, and takes it away below another card', () => {
    const table = after(played(1, { card: wild, color: 2 }))
    expect(topOf(table.game!)).toEqual({ ...wild, Color: 2 })
    const buried = fold(table, played(0, { seat: 1, card: card(2, 3), color: 2 }))
    const under = buried.game!.stack.at(-2)!
    expect(buried.game!.faces[under]).toEqual(wild)
  })

  it('keeps what was drawn apart until a card is played', () => {
    const drew = (seat: number, cards = [blank]): Message => ({
      type: 'drew',
      seat,
      cards,
      why: '',
    })
    const prompt = (seat: number, first: boolean): Message => ({
      type: 'prompted',
      seat,
      effect: 0,
      first,
      deadline: 0,
    })
    let table = after(drew(0, [card(0, 1)]), prompt(0, false), drew(0, [card(0, 3)]))
    expect(table.game!.drawn.map((id) => table.game!.faces[id]!.Number)).toEqual([1, 3])
    expect(table.game!.deck).toBe(18)
    expect(fold(table, prompt(1, true)).game!.drawn).toEqual([])
    // Made to draw before one's turn, one sees what came.
    table = after(drew(1, [blank, blank]), prompt(1, true))
    expect(table.game!.drawn).toHaveLength(2)
    expect(table.game!.seats[1]!.hand).toHaveLength(4)
  })

  it('has but the top of the stack after a reshuffle', () => {
    const table = after({ type: 'reshuffled', deck: 1 })
    expect(table.game!.stack).toHaveLength(1)
    expect(topOf(table.game!)).toEqual(card(1, 7))
    expect(table.game!.deck).toBe(1)
    expect(nothingToDraw(table.game!)).toBe(false)
    expect(nothingToDraw(after({ type: 'reshuffled', deck: 0 }).game!)).toBe(true)
  })

  it('knows who comes next, either way round', () => {
    expect(nextSeat(after().game!)).toBe(1)
    expect(nextSeat(after(dealt({ direction: -1 })).game!)).toBe(2)
    expect(nextSeat(after(dealt({ turn: 2 })).game!)).toBe(0)
  })

  it('calls players by the name they have now', () => {
    const players = lobby().players.map((one) =>
      one.place === 1 ? { ...one, name: 'Benno' } : one,
    )
    expect(nameOf(after(lobby({ players })), 1)).toBe('Benno')
    expect(nameOf(after(lobby({ players: [] })), 1)).toBe('Ben')
    expect(nameOf(after(), null)).toBe('Nobody')
  })

  it('shows a game that is over until it is put away or another begins', () => {
    const over = after({ type: 'ended', winner: 1, how: 'empty-hand' })
    expect(phaseOf(over)).toBe('over')
    expect(phaseOf(putAway(over))).toBe('lobby')
    expect(phaseOf(fold(putAway(over), { ...dealt(), type: 'dealt' }))).toBe('game')
    expect(phaseOf(emptyTable)).toBe('lobby')
    // Told once more after a reconnection, it is still put away; a game under way is not.
    expect(phaseOf(fold(putAway(over), dealt({ over: true, winner: 1 })))).toBe('lobby')
    expect(phaseOf(fold(putAway(over), dealt()))).toBe('game')
  })

  it('spares newcomers the end of a game they were not in', () => {
    const ended = dealt({ over: true, winner: 1 })
    const seen = (place: number | null, players = lobby().players): TableState =>
      [welcome(place), lobby({ running: false, players }), ended].reduce(fold, emptyTable)
    expect(phaseOf(seen(0))).toBe('over')
    expect(phaseOf(seen(null))).toBe('over')
    const newcomer = { ...lobby().players[0]!, place: 7, user: 'page:7', name: 'New' }
    const late = seen(7, [...lobby().players, newcomer])
    expect(phaseOf(late)).toBe('lobby')
    expect(mySeat(late)).toBe(-1)
  })
})
