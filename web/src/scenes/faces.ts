/** Faces of a scene as drawings and as words. */
import { spoken, type CardFace, type CardRank, type CardSuit } from '../cards/faces'
import type { Thing, Zone } from '../protocol/extras'

const SUITS: Record<string, CardSuit> = {
  '♥': 'hearts',
  '♦': 'diamonds',
  '♣': 'clubs',
  '♠': 'spades',
}

/** "10♥", "joker" → a card's face; `null` lies face down. */
export function cardFace(face: string | null | undefined): CardFace | null {
  if (!face) return null
  const suit = SUITS[face.slice(-1)]
  return suit ? { suit, rank: face.slice(0, -1) as CardRank } : { suit: 'joker', rank: 'W' }
}

export function spokenThing(zone: Zone, thing: Thing): string {
  const french = (zone.deck ?? 'french') === 'french'
  const face = french ? spoken(cardFace(thing.face)) : (thing.face ?? 'hidden')
  return [face, ...(thing.marks ?? [])].join(', ')
}

/** What a screen reader says of a zone: "Ben’s hand, 5 face down", "Pile, 3 in all". */
export function spokenZone(label: string, zone: Zone): string {
  const things = zone.things ?? []
  const all = things.length + (zone.more ?? 0)
  if (zone.look === 'pile') return `${label}, ${all === 0 ? 'empty' : `${all} in all`}`
  const down = things.filter(({ face }) => face === undefined).length + (zone.more ?? 0)
  return down > 0 ? `${label}, ${down} face down` : label
}
