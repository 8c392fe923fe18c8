/** MO's board in words: names of cards and piles, what happened, how it ended. */
import type { CardFace } from '../../cards/faces'
import { capitalized, counted, listed } from '../../lib/text'
import type { BoardMessage, Card, LaneInfo } from '../../protocol/mo'
import { cardsOf, drawOf, falling, kindOf, laneOf, PILES } from './layout'

const RANKS: Partial<Record<Card['rank'], string>> = { A: 'ace', J: 'jack', Q: 'queen', K: 'king' }
const SIGNS: Record<string, string> = {
  hearts: '♥',
  diamonds: '♦',
  clubs: '♣',
  spades: '♠',
  red: '♥♦',
  black: '♣♠',
  any: '',
}

export const STRONGEST = 20

/** "10 of hearts", "king of clubs", "joker". */
export function nameOf(card: Card): string {
  return card.suit === 'joker' ? 'joker' : `${RANKS[card.rank] ?? card.rank} of ${card.suit}`
}

/** "10♥". */
export function signOf(card: Card): string {
  return card.suit === 'joker' ? 'joker' : card.rank + SIGNS[card.suit]
}

/** As the drawing wants it; `null` lies face down. */
export function faceOf(card: Card): CardFace | null {
  if (!card.face_up) return null
  return { suit: card.suit, rank: card.rank === 'joker' ? 'W' : card.rank }
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
const NUMBERS_ON = ['ten', 'eleven', 'twelve']
export const spelled = (count: number): string =>
  [...NUMBERS, ...NUMBERS_ON][count] ?? String(count)

const cards = (count: number): string => counted(count, 'card')

export const isRoyal = (card: Card): boolean => card.value > 10

/** The royal of an outer pile, whether it stands or lies. */
export function royalOn(board: BoardMessage, pile: string): Card | null {
  return cardsOf(board, pile).find(isRoyal) ?? null
}

export const totalOf = (board: BoardMessage, pile: string): number =>
  cardsOf(board, pile).reduce((sum, card) => sum + card.value, 0)

/** Crossed swords, drawn as a sign and not as an emoji. */
export const STRIKE = '⚔\uFE0E'

/** What a lane lacks, for eyes: "+3 ♥"; what it takes when it lacks nothing: "⚔ d3". */
export function lackOf(lane: LaneInfo): string {
  return lane.ready ? `${STRIKE} ${lane.far}` : `+${lane.missing}${SIGNS[lane.suits] ?? ''}`
}

/** A pile's accessible name: "b2, 5 of hearts on top, 3 cards, valid". */
export function pileName(board: BoardMessage, pile: string, hinted = false): string {
  const parts = [pile, ...contents(board, pile)]
  if (board.valid.includes(pile)) parts.push('valid')
  const down = falling(board, pile).flatMap((outer) => royalOn(board, outer) ?? [])
  if (down.length) parts.push(`defeats the ${listed(down.map(nameOf))}`)
  if (hinted) parts.push('hint')
  return parts.join(', ')
}

function contents(board: BoardMessage, pile: string): string[] {
  const kind = kindOf(pile)
  if (kind === 'draw') {
    const { count, top } = drawOf(board)
    return ['draw pile', ...(top ? [`${nameOf(top)} on top`, cards(count)] : ['empty'])]
  }
  const there = cardsOf(board, pile)
  const [top] = there
  if (!top) return [kind === 'inner' ? 'empty' : 'no royal']
  if (kind === 'inner') return [`${nameOf(top)} on top`, cards(there.length)]
  const royal = royalOn(board, pile)
  if (!royal) return [`armour in advance: ${listed(there.map(nameOf))}`]
  if (board.defeated.includes(pile)) return [`${nameOf(royal)} defeated`]
  const armour = there.filter((card) => !isRoyal(card)).map(nameOf)
  return [
    `${nameOf(royal)}${armour.length ? ` with armour ${listed(armour)}` : ''}`,
    `counts ${totalOf(board, pile)} of ${STRONGEST}`,
    ...(laneOf(board, pile) ? [laneOf(board, pile)!.needs] : []),
  ]
}

/** What is to be done now. */
export function prompt(board: BoardMessage): string {
  const { top } = drawOf(board)
  if (board.status !== 'playing' || !top) return ended(board).title
  const to = board.valid
  const where =
    to.length === 1
      ? `only ${to[0]} takes it`
      : to.length <= 3
        ? `${listed(to)} take it`
        : `${spelled(to.length)} piles take it`
  return `${capitalized(nameOf(top))}: ${where}.`
}

/** What lies on a pile somebody asks about, and why the next card may not go there. */
export function remark(board: BoardMessage, pile: string): string {
  const there = `${capitalized(pile)}: ${contents(board, pile).join(', ')}.`
  const { top } = drawOf(board)
  if (board.status !== 'playing' || !top || kindOf(pile) === 'draw') return there
  return board.valid.includes(pile) ? there : `${there} The ${nameOf(top)} may not go here.`
}

/** What changed from one board to the next, for the screen reader. */
export function told(before: BoardMessage | null, after: BoardMessage): string {
  if (!before || before.seed !== after.seed || before.profile !== after.profile) return dealt(after)
  if (after.moves < before.moves) {
    return after.moves === 0 && before.moves > 1 ? dealt(after) : `Taken back. ${situation(after)}`
  }
  if (after.moves === before.moves) return ''
  const card = drawOf(before).top
  const to = PILES.find((pile) => cardsOf(after, pile).length > 0 && changed(before, after, pile))
  const played = card && to ? `${capitalized(nameOf(card))} to ${to}.` : ''
  const down = after.defeated
    .filter((pile) => !before.defeated.includes(pile))
    .flatMap((pile) => {
      const royal = royalOn(after, pile)
      return royal ? `the ${nameOf(royal)} on ${pile}` : []
    })
  const victory = down.length
    ? `${capitalized(listed(down))} ${down.length > 1 ? 'are' : 'is'} defeated.`
    : ''
  const news = after.hopeless && !before.hopeless ? `This can’t be won any more.` : ''
  return [played, victory, news, situation(after)].filter(Boolean).join(' ')
}

/** Only the pile played to has another card on top, and that one face up. */
function changed(before: BoardMessage, after: BoardMessage, pile: string): boolean {
  const card = drawOf(before).top
  const [top] = cardsOf(after, pile)
  const [old] = cardsOf(before, pile)
  return (
    top !== undefined &&
    card !== null &&
    top.rank === card.rank &&
    top.suit === card.suit &&
    (cardsOf(before, pile).length !== cardsOf(after, pile).length ||
      old?.rank !== top.rank ||
      old.suit !== top.suit)
  )
}

function situation(board: BoardMessage): string {
  if (board.status !== 'playing') return `${ended(board).title} ${ended(board).why}`
  return `Next, ${prompt(board).replace(/^\w/, (letter) => letter.toLowerCase())}`
}

function dealt(board: BoardMessage): string {
  return board.status === 'playing' ? `A new game is dealt. ${situation(board)}` : situation(board)
}

/** How it ended: a heading and the reason in words. */
export function ended(board: BoardMessage): { title: string; why: string } {
  const standing = 12 - board.defeated.length
  const left = `${capitalized(spelled(standing))} ${standing === 1 ? 'royal was' : 'royals were'} left to defeat.`
  switch (board.reason) {
    case 'won':
      return { title: 'You won!', why: `All twelve royals are down after ${board.moves} moves.` }
    case 'out-of-cards':
      return { title: 'The game is lost.', why: `The draw pile is empty. ${left}` }
    case 'no-place': {
      const { top } = drawOf(board)
      return {
        title: 'The game is lost.',
        why: `No pile takes the ${top ? nameOf(top) : 'next card'}. ${left}`,
      }
    }
    case 'too-strong': {
      const pile = PILES.find(
        (name) => kindOf(name) === 'outer' && totalOf(board, name) > STRONGEST,
      )
      const royal = pile && royalOn(board, pile)
      return {
        title: 'The game is lost.',
        why: royal
          ? `The ${nameOf(royal)} on ${pile} counts ${totalOf(board, pile)} with its armour, more than ${STRONGEST}.`
          : `A royal counts more than ${STRONGEST} with its armour.`,
      }
    }
    case 'repeated':
      return {
        title: 'The game is lost.',
        why: `The same position stood there for the third time. ${left}`,
      }
    default:
      return { title: 'The game goes on.', why: '' }
  }
}
