/** The order in which a hand is shown; what the server is told does not depend on it. */
import { readStored, store } from '../../lib/storage'
import type { Face, Settings } from '../../protocol/rummy'
import { rankOf } from './hints'

/** `suit` is the server's own order; `own`: as the player has put the cards. */
export type HandOrder = 'suit' | 'rank' | 'own'

export interface Arrangement {
  order: HandOrder
  /** Card ids as the player has put them; cards drawn since are not in here. */
  own: readonly string[]
}

export function arranged(
  hand: readonly string[],
  { order, own }: Arrangement,
  faces: Record<string, Face>,
  settings: Pick<Settings, 'ace_rank'>,
): string[] {
  if (order === 'own') {
    const kept = own.filter((id) => hand.includes(id))
    return [...kept, ...hand.filter((id) => !own.includes(id))]
  }
  if (order === 'suit') return [...hand]
  const rank = (id: string): number => {
    const face = faces[id]
    return !face || face.suit === 'joker' ? Infinity : rankOf(face, settings)
  }
  // Equal ranks keep the server's order, which is by suit.
  return [...hand].sort((a, b) => rank(a) - rank(b) || 0)
}

/** `shown` with `cards` moved to stand before the card that is now at `index`. */
export function moved(shown: readonly string[], cards: readonly string[], index: number): string[] {
  const before = shown.slice(0, index).filter((id) => !cards.includes(id))
  const after = shown.slice(index).filter((id) => !cards.includes(id))
  return [...before, ...cards, ...after]
}

const KEY = 'parlour.rummy.order'

export const keptOrder = (): HandOrder => (readStored(KEY) === 'rank' ? 'rank' : 'suit')

export const keepOrder = (order: HandOrder): void => store(KEY, order)
