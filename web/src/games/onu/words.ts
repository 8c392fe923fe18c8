/** The table in sentences: what may be done now, and what just happened. */
import { capitalized, counted, listed } from '../../lib/text'
import { colourName, fits, isBlank, isWild, NO_COLOUR, spoken } from './faces'
import type { DrewEvent, Message, PlayedEvent } from './messages'
import {
  isMine,
  mySeat,
  nameOf,
  nothingToDraw,
  topOf,
  type GameState,
  type TableState,
} from './state'

/** Whose turn it is and what they may do. */
export function sentence(table: TableState): string {
  const { game } = table
  if (!game) return ''
  if (game.over) return result(table)
  if (!isMine(table)) {
    return game.turn === mySeat(table) ? 'One moment …' : `${nameOf(table, game.turn)} is playing.`
  }
  const hand = game.seats[game.turn]?.hand ?? []
  const playable = hand.some((id) => fits(game.faces[id]!, topOf(game)))
  if (playable) return 'Your turn: play a card that fits, or draw one.'
  return nothingToDraw(game)
    ? 'Your turn: nothing fits, and there is nothing to draw. Pass.'
    : 'Your turn: nothing fits. Draw a card.'
}

/** "red, 7 or a wild", "blue, skip or a wild"; on a wild, "green or a wild". */
export const whatFits = (game: GameState): string => {
  const top = topOf(game)
  const symbol = spoken({ ...top, Color: NO_COLOUR })
  return isWild(top)
    ? `${colourName(top.Color)} or a wild`
    : `${colourName(top.Color)}, ${symbol} or a wild`
}

/** How the game went, in one sentence. */
export function result(table: TableState): string {
  const { game } = table
  if (!game?.over) return ''
  if (game.winner === null) return 'The game ended without a winner.'
  return game.winner === mySeat(table) ? 'You won!' : `${nameOf(table, game.winner)} won!`
}

/** "Play goes right": the way round the table, as seats are shown. */
export const wayRound = ({ direction }: GameState): string => (direction > 0 ? 'right' : 'left')

/** Why a card can't be played now; "": it can. */
export function whyNotPlay(table: TableState, card: number): string {
  const reason = whyNotAct(table)
  if (reason || !table.game) return reason
  const face = table.game.faces[card]
  const top = topOf(table.game)
  return face && fits(face, top) ? '' : `That does not go on a ${spoken(top)}.`
}

/** Why nothing can be done now; "": something can. */
export function whyNotAct(table: TableState): string {
  const { game } = table
  if (!game || game.over) return 'The game is over.'
  if (isMine(table)) return ''
  return game.turn === mySeat(table) ? 'One moment …' : `It is ${nameOf(table, game.turn)}’s turn.`
}

/** What happened, for the list of moves and for the screen reader; "" for nothing. */
export function told(before: TableState, message: Message, after: TableState): string {
  switch (message.type) {
    case 'dealt': {
      const names = after.game?.seats.map((_, seat) => who(after, seat)) ?? []
      return `A new game: ${listed(names)}. ${capitalized(spoken(topOf(after.game!)))} is turned up.`
    }
    case 'played':
      return played(before, message, after)
    case 'skipped':
      return `${who(after, message.seat)} ${isMe(after, message.seat) ? 'are' : 'is'} skipped.`
    case 'drew':
      return drew(after, message)
    case 'reshuffled':
      return 'The deck ran out; the stack is the new deck.'
    case 'passed':
      return message.why === 'timeout'
        ? `${possessive(after, message.seat)} time ran out.`
        : `${who(after, message.seat)} passed.`
    case 'ended':
      return result(after)
    default:
      return ''
  }
}

function played(
  before: TableState,
  { seat, card, color, direction }: PlayedEvent,
  after: TableState,
): string {
  const parts = [
    isWild(card)
      ? `${who(after, seat)} played a ${spoken(card)} and chose ${colourName(color)}.`
      : `${who(after, seat)} played ${spoken(card)}.`,
  ]
  if (before.game && before.game.direction !== direction) {
    parts.push(`Play now goes ${direction > 0 ? 'right' : 'left'}.`)
  }
  const left = after.game?.seats[seat]?.hand.length
  if (left === 1) {
    parts.push(`${who(after, seat)} ${isMe(after, seat) ? 'have' : 'has'} one card left!`)
  }
  return parts.join(' ')
}

function drew(after: TableState, { seat, cards, why }: DrewEvent): string {
  const known = cards.filter((card) => !isBlank(card))
  const what = known.length > 0 ? listed(known.map(spoken)) : counted(cards.length, 'card')
  return `${who(after, seat)} ${why === 'forced' ? 'had to draw' : 'drew'} ${what}.`
}

/** For screen readers only: that it is your turn, on what, and with which cards. */
export function asked(table: TableState): string {
  if (!isMine(table) || !table.game) return ''
  const { game } = table
  const hand = (game.seats[game.turn]?.hand ?? []).flatMap((id) => game.faces[id] ?? [])
  const good = hand.filter((card) => fits(card, topOf(game)))
  const what = good.length > 0 ? `You can play ${listed(good.map(spoken))}.` : 'Nothing fits.'
  return `Your turn, on ${spoken(topOf(game))}. ${what}`
}

const isMe = (table: TableState, seat: number): boolean => seat === mySeat(table)

const who = (table: TableState, seat: number): string =>
  isMe(table, seat) ? 'You' : nameOf(table, seat)

const possessive = (table: TableState, seat: number): string =>
  isMe(table, seat) ? 'Your' : `${nameOf(table, seat)}’s`
