/** How a hand lies in the room there is: one row, or a few on a phone, overlapping when it must. */

export interface Spread {
  /** A card's width in pixels. */
  card: number
  perRow: number
  height: number
  places: { x: number; y: number }[]
}

/** How many times as wide large cards are (`--large` in `app.css`). */
export const LARGE = 1.3
const LIFT = 16
const GAP = 6

/** Before which card something dropped at `x` and `y` (from the hand's corner) goes. */
export function indexAt({ card, perRow, places }: Spread, x: number, y: number): number {
  const rows = Math.ceil(places.length / perRow)
  const second = places[perRow]
  // Rows overlap: what shows of the first one ends where the second begins.
  const row = rows > 1 && second && y >= second.y ? 1 : 0
  const first = row * perRow
  const inRow = places.slice(first, first + perRow)
  return first + inRow.filter((place) => place.x + card / 2 < x).length
}

/** To which card a key leads from the one at `current`; `null`: nowhere. */
export function keyGoal({ perRow, places }: Spread, key: string, current: number): number | null {
  const goals: Record<string, number> = {
    ArrowLeft: current - 1,
    ArrowRight: current + 1,
    ArrowUp: current - perRow,
    ArrowDown: current + perRow,
    Home: 0,
    End: places.length - 1,
  }
  const goal = goals[key] ?? -1
  return goal >= 0 && goal < places.length ? goal : null
}

/** `mostRows`: on a phone; elsewhere there is one. `large`: cards are as many times as wide. */
export function spread(
  count: number,
  width: number,
  windowHeight: number,
  mostRows = 2,
  large = 1,
): Spread {
  const narrow = width < 560
  const tall = windowHeight * (narrow ? 0.105 : 0.14)
  // On large screens cards use the room there is.
  const most = Math.max(104, Math.min(width / 9, windowHeight * 0.13))
  const card = Math.round(large * Math.max(46, Math.min(narrow ? width / 5.7 : most, tall)))
  const cardHeight = card * 1.4
  // Narrower than this a card's corner is hard to read and harder to touch.
  const fits = Math.floor((width - card) / 38) + 1
  const rows = narrow ? Math.min(mostRows, Math.max(1, Math.ceil(count / fits))) : 1
  const perRow = Math.max(1, Math.ceil(count / rows))
  const step = perRow > 1 ? Math.min(card + GAP, (width - card) / (perRow - 1)) : 0
  const rowStep = cardHeight * 0.66

  const places = Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / perRow)
    const inRow = Math.min(perRow, count - row * perRow)
    const left = (width - card - step * (inRow - 1)) / 2
    return { x: Math.round(left + (index % perRow) * step), y: Math.round(LIFT + row * rowStep) }
  })
  return { card, perRow, places, height: Math.round(LIFT + cardHeight + (rows - 1) * rowStep) }
}
