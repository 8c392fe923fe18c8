/** Walking the table with arrow keys: the nearest card in that direction, whoever holds it. */

const WAYS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** Which of `boxes` lies nearest to `from` in the direction of `arrow`; -1 if none does. */
export function nearest(from: Box, boxes: readonly Box[], arrow: string): number {
  const way = WAYS[arrow]
  if (!way) return -1
  const [wx, wy] = way
  const middle = (box: Box): [number, number] => [box.x + box.width / 2, box.y + box.height / 2]
  const [fx, fy] = middle(from)
  let best = -1
  let least = Infinity
  boxes.forEach((box, index) => {
    const [x, y] = middle(box)
    const along = (x - fx) * wx + (y - fy) * wy
    const aside = Math.abs((x - fx) * wy) + Math.abs((y - fy) * wx)
    // Distance to the side counts more than distance ahead; cards behind are left out.
    if (along < 4 || aside > along * 2.5 + 8) return
    const distance = along + aside * 2
    if (distance < least) {
      least = distance
      best = index
    }
  })
  return best
}
