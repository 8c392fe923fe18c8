/** A position as a scene describes it: replays have no other. */
import type { CardFace } from '../../cards/faces'
import type { BoardMessage, Card, LaneInfo } from '../../protocol/mo'
import type { Scene, Thing, Zone } from '../../protocol/extras'
import { cardFace } from '../../scenes/decks'
import { DRAW, kindOf, placeOf, type Names } from './layout'

const RANKS = ['joker', 'A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K'] as const
/** Below the top of an inner pile, or armour of a royal that is defeated. */
const UNSEEN: Card = { rank: '2', suit: 'clubs', value: 2, face_up: false }

function cardOf({ suit, rank }: CardFace, face_up: boolean): Card {
  const known = suit === 'joker' ? 'joker' : (rank as Card['rank'])
  return { rank: known, suit: suit as Card['suit'], value: RANKS.indexOf(known), face_up }
}

/** "K♥ defeated" is said of the royal, which lies face down. */
const fallen = ({ marks = [] }: Thing): string | undefined =>
  marks.map((mark) => /^(\S+) defeated$/.exec(mark)?.[1]).find(Boolean)

function seen(thing: Thing): Card {
  const face = cardFace(thing.face ?? fallen(thing))
  return face ? cardOf(face, thing.face !== undefined) : UNSEEN
}

/** Top first, as the protocol has them. */
function cardsIn({ things = [], more = 0 }: Zone): Card[] {
  return [...things.map(seen).reverse(), ...Array<Card>(more).fill(UNSEEN)]
}

/** The lane of a royal that falls to the next card; a scene says only in words what others lack. */
function lanesAt({ id, things = [] }: Zone): LaneInfo[] {
  const marks = things.flatMap((thing) => thing.marks ?? [])
  const far = marks.map((mark) => /^falls to a card on (..)$/.exec(mark)?.[1]).find(Boolean)
  if (!far) return []
  const [from, to] = [placeOf(id), placeOf(far)]
  const between = (part: number): string =>
    String.fromCharCode(96 + from.column + Math.round(((to.column - from.column) * part) / 3)) +
    (from.row + Math.round(((to.row - from.row) * part) / 3))
  const health = Number(/^counts (\d+)$/.exec(marks[0] ?? '')?.[1] ?? 1)
  return [
    {
      pile: id,
      near: between(1),
      middle: between(2),
      far,
      health,
      suits: 'any',
      missing: 0,
      wrong: [],
      ready: true,
      needs: `falls to a card on ${far}`,
    },
  ]
}

export function boardOf({ zones, counters = {} }: Scene): BoardMessage {
  const draw = zones.find(({ id }) => id === DRAW)
  const [top] = draw ? cardsIn(draw) : []
  const grid = zones.filter(({ id }) => id !== DRAW)
  const count = (draw?.things?.length ?? 0) + (draw?.more ?? 0)
  return {
    type: 'board',
    piles: {
      ...Object.fromEntries(grid.map((zone) => [zone.id, cardsIn(zone)])),
      [DRAW]: { count, top: top ?? null },
    },
    valid: [],
    can_undo: false,
    can_redo: false,
    status: 'playing',
    reason: '',
    seed: String(counters.seed ?? ''),
    profile: counters.rules === 'printed' ? 'printed' : 'classic',
    defeated: grid
      .filter(({ id, things = [] }) => kindOf(id) === 'outer' && things.some(fallen))
      .map(({ id }) => id),
    moves: Number(counters.moves ?? 0),
    lanes: grid.flatMap(lanesAt),
    hopeless: '',
  }
}

/** The cards' ids in the scene, top first: they move from one position to the next by them. */
export function idsOf({ zones }: Scene): Names {
  return Object.fromEntries(
    zones.map(({ id, things = [], more = 0 }) => [
      id,
      [
        ...things.map((thing) => thing.id).reverse(),
        ...Array.from({ length: more }, (_, at) => `${id} ${at}`),
      ],
    ]),
  )
}
