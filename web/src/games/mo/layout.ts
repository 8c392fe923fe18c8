/** MO's grid: where the piles lie, and how one walks between them. */
import type { BoardMessage, Card, DrawPile, LaneInfo } from '../../protocol/mo'

export const COLUMNS = ['a', 'b', 'c', 'd', 'e'] as const
export const ROWS = ['1', '2', '3', '4', '5'] as const
export const DRAW = 'e5'
/** Three corners of the square are bare felt. */
const BARE = new Set(['a1', 'e1', 'a5'])

export type Kind = 'inner' | 'outer' | 'draw'

const MIDDLE = new Set(['b', 'c', 'd', '2', '3', '4'])

export function kindOf(pile: string): Kind {
  if (pile === DRAW) return 'draw'
  return [...pile].every((sign) => MIDDLE.has(sign)) ? 'inner' : 'outer'
}

export const isPile = (name: string): boolean => /^[a-e][1-5]$/.test(name) && !BARE.has(name)

export const PILES: readonly string[] = ROWS.flatMap((row) =>
  COLUMNS.map((column) => column + row),
).filter(isPile)

/** Column and row, from 1 as CSS counts. */
export function placeOf(pile: string): { column: number; row: number } {
  return { column: pile.charCodeAt(0) - 96, row: Number(pile[1]) }
}

const nameAt = (column: number, row: number): string => String.fromCharCode(96 + column) + row

const STEPS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/**
 * The pile an arrow key leads to, or null at the rim. Where the next place is a bare corner,
 * the way goes round it: left of b1 is a2.
 */
export function walk(from: string, key: string): string | null {
  const { column, row } = placeOf(from)
  if (key === 'Home' || key === 'End') {
    const along = COLUMNS.map((letter) => letter + row).filter(isPile)
    return (key === 'Home' ? along[0] : along.at(-1)) ?? null
  }
  const step = STEPS[key]
  if (!step) return null
  const [dx, dy] = step
  const next = nameAt(column + dx, row + dy)
  if (isPile(next)) return next
  if (!BARE.has(next)) return null
  const inward = dx !== 0 ? [0, row === 1 ? 1 : -1] : [column === 1 ? 1 : -1, 0]
  return nameAt(column + dx + inward[0]!, row + dy + inward[1]!)
}

export function drawOf(board: BoardMessage): DrawPile {
  return board.piles[DRAW] as DrawPile
}

/** The cards of a grid pile, top first. */
export function cardsOf(board: BoardMessage, pile: string): Card[] {
  const found = board.piles[pile]
  return Array.isArray(found) ? found : []
}

export const laneOf = (board: BoardMessage, pile: string): LaneInfo | null =>
  board.lanes.find((lane) => lane.pile === pile) ?? null

/** The outer piles whose royal falls if the next card is played here. */
export function falling(board: BoardMessage, pile: string): string[] {
  if (!board.valid.includes(pile)) return []
  return board.lanes.filter((lane) => lane.ready && lane.far === pile).map((lane) => lane.pile)
}

/**
 * A name for every visible card that stays with it from board to board, so that it can be
 * seen to move. Faces are unique but for the printed game's second joker, which is told from
 * the first by where it lay before.
 */
export function namesOf(
  board: BoardMessage,
  before: { board: BoardMessage; names: Names } | null,
): Names {
  const names: Names = {}
  const loose: [pile: string, at: number][] = []
  const taken = new Set<string>()
  for (const pile of PILES) {
    const cards = shown(board, pile)
    names[pile] = cards.map((card, at) => {
      if (card.suit !== 'joker') return `${card.suit}-${card.rank}`
      const height = cards.length - at
      const known = before && fromBottom(before.names[pile] ?? [], height)
      if (known?.startsWith('joker') && pile !== DRAW) {
        taken.add(known)
        return known
      }
      loose.push([pile, at])
      return ''
    })
  }
  const drawn = before?.names[DRAW]?.[0] ?? ''
  for (const [pile, at] of loose) {
    const free = [drawn, 'joker-1', 'joker-2'].find(
      (name) => name.startsWith('joker') && !taken.has(name),
    )!
    taken.add(free)
    names[pile]![at] = free
  }
  return names
}

export type Names = Record<string, string[]>

const fromBottom = (names: string[], height: number): string | undefined =>
  names[names.length - height]

function shown(board: BoardMessage, pile: string): Card[] {
  if (pile !== DRAW) return cardsOf(board, pile)
  const { top } = drawOf(board)
  return top ? [top] : []
}
