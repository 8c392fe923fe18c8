/** MO's board in words: names of cards and piles, what happened, how it ended. */
import { language, listed, said, t } from '../../lib/messages'
import type { CardFace } from '../../cards/faces'
import { capitalized } from '../../lib/text'
import type { BoardMessage, Card, LaneInfo } from '../../protocol/mo'
import { cardsOf, drawOf, falling, kindOf, laneOf, PILES } from './layout'

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
export function nameOf({ suit, rank }: Card): string {
  if (suit === 'joker') return t('joker')
  const suits = {
    hearts: t('hearts'),
    diamonds: t('diamonds'),
    clubs: t('clubs'),
    spades: t('spades'),
  }
  const royals: Partial<Record<Card['rank'], string>> = {
    A: t('ace'),
    J: t('jack'),
    Q: t('queen'),
    K: t('king'),
  }
  return t('{rank} of {suit}', { rank: royals[rank] ?? rank, suit: suits[suit] })
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
/** In words in English; other languages would have to bend them. */
export const spelled = (count: number): string =>
  (language === 'en' ? [...NUMBERS, ...NUMBERS_ON][count] : undefined) ?? String(count)

const cards = (count: number): string => t('{count} card|{count} cards', { count })

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
  if (board.valid.includes(pile)) parts.push(t('valid'))
  const down = falling(board, pile).flatMap((outer) => royalOn(board, outer) ?? [])
  if (down.length) parts.push(t('defeats the {names}', { names: listed(down.map(nameOf)) }))
  if (hinted) parts.push(t('hint'))
  return parts.join(', ')
}

function contents(board: BoardMessage, pile: string): string[] {
  const kind = kindOf(pile)
  if (kind === 'draw') {
    const { count, top } = drawOf(board)
    return [
      t('draw pile'),
      ...(top ? [t('{name} on top', { name: nameOf(top) }), cards(count)] : [t('empty')]),
    ]
  }
  const there = cardsOf(board, pile)
  const [top] = there
  if (!top) return [kind === 'inner' ? t('empty') : t('no royal')]
  if (kind === 'inner') return [t('{name} on top', { name: nameOf(top) }), cards(there.length)]
  const royal = royalOn(board, pile)
  if (!royal) return [t('armour in advance: {names}', { names: listed(there.map(nameOf)) })]
  if (board.defeated.includes(pile)) return [t('{name} defeated', { name: nameOf(royal) })]
  const armour = there.filter((card) => !isRoyal(card)).map(nameOf)
  return [
    armour.length
      ? t('{name} with armour {names}', { name: nameOf(royal), names: listed(armour) })
      : nameOf(royal),
    t('counts {total} of {most}', { total: totalOf(board, pile), most: STRONGEST }),
    ...(laneOf(board, pile) ? [said(laneOf(board, pile)!.needs)] : []),
  ]
}

/** What is to be done now. */
export function prompt(board: BoardMessage): string {
  const { top } = drawOf(board)
  if (board.status !== 'playing' || !top) return ended(board).title
  const to = board.valid
  const where =
    to.length === 1
      ? t('only {pile} takes it', { pile: to[0]! })
      : to.length <= 3
        ? t('{piles} take it', { piles: listed(to) })
        : t('{number} piles take it', { number: spelled(to.length) })
  return `${capitalized(nameOf(top))}: ${where}.`
}

/** What lies on a pile somebody asks about, and why the next card may not go there. */
export function remark(board: BoardMessage, pile: string): string {
  const there = `${capitalized(pile)}: ${contents(board, pile).join(', ')}.`
  const { top } = drawOf(board)
  if (board.status !== 'playing' || !top || kindOf(pile) === 'draw') return there
  return board.valid.includes(pile)
    ? there
    : `${there} ${t('The {name} may not go here.', { name: nameOf(top) })}`
}

/** What changed from one board to the next, for the screen reader. */
export function told(before: BoardMessage | null, after: BoardMessage): string {
  if (!before || before.seed !== after.seed || before.profile !== after.profile) return dealt(after)
  if (after.moves < before.moves) {
    return after.moves === 0 && before.moves > 1
      ? dealt(after)
      : `${t('Taken back.')} ${situation(after)}`
  }
  if (after.moves === before.moves) return ''
  const card = drawOf(before).top
  const to = PILES.find((pile) => cardsOf(after, pile).length > 0 && changed(before, after, pile))
  const played =
    card && to ? t('{card} to {pile}.', { card: capitalized(nameOf(card)), pile: to }) : ''
  const down = after.defeated
    .filter((pile) => !before.defeated.includes(pile))
    .flatMap((pile) => {
      const royal = royalOn(after, pile)
      return royal ? t('the {name} on {pile}', { name: nameOf(royal), pile }) : []
    })
  const victory = down.length
    ? t('{names} is defeated.|{names} are defeated.', {
        names: capitalized(listed(down)),
        count: down.length,
      })
    : ''
  const news = after.hopeless && !before.hopeless ? t('This can’t be won any more.') : ''
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

const uncapitalized = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

function situation(board: BoardMessage): string {
  if (board.status !== 'playing') return `${ended(board).title} ${ended(board).why}`
  const next = prompt(board)
  return t('Next, {next}', { next: language === 'de' ? next : uncapitalized(next) })
}

function dealt(board: BoardMessage): string {
  return board.status === 'playing'
    ? `${t('A new game is dealt.')} ${situation(board)}`
    : situation(board)
}

/** How it ended: a heading and the reason in words. */
export function ended(board: BoardMessage): { title: string; why: string } {
  const standing = 12 - board.defeated.length
  const left = t('{number} royal was left to defeat.|{number} royals were left to defeat.', {
    number: capitalized(spelled(standing)),
    count: standing,
  })
  switch (board.reason) {
    case 'won':
      return {
        title: t('You won!'),
        why: t('All twelve royals are down after {moves} moves.', { moves: board.moves }),
      }
    case 'out-of-cards':
      return { title: t('The game is lost.'), why: `${t('The draw pile is empty.')} ${left}` }
    case 'no-place': {
      const { top } = drawOf(board)
      return {
        title: t('The game is lost.'),
        why: `${
          top
            ? t('No pile takes the {name}.', { name: nameOf(top) })
            : t('No pile takes the next card.')
        } ${left}`,
      }
    }
    case 'too-strong': {
      const pile = PILES.find(
        (name) => kindOf(name) === 'outer' && totalOf(board, name) > STRONGEST,
      )
      const royal = pile && royalOn(board, pile)
      return {
        title: t('The game is lost.'),
        why: royal
          ? t('The {name} on {pile} counts {total} with its armour, more than {most}.', {
              name: nameOf(royal),
              pile,
              total: totalOf(board, pile),
              most: STRONGEST,
            })
          : t('A royal counts more than {most} with its armour.', { most: STRONGEST }),
      }
    }
    case 'repeated':
      return {
        title: t('The game is lost.'),
        why: `${t('The same position stood there for the third time.')} ${left}`,
      }
    default:
      return { title: t('The game goes on.'), why: '' }
  }
}
