/** Decks: how the faces of things are drawn, said and sorted. A game may bring decks of its own. */
import { said, t } from '../lib/messages'
import type { Component } from 'svelte'
import { spoken, type CardFace, type CardRank, type CardSuit } from '../cards/faces'
import { readStored, store } from '../lib/storage'
import type { Thing, Zone } from '../protocol/extras'
import Die from './Die.svelte'
import FrenchCard from './FrenchCard.svelte'
import PictureCard from './PictureCard.svelte'
import TextCard from './TextCard.svelte'

export interface CardProps {
  /** `null` lies face down. */
  face: string | null
  /** Flights follow it (`lib/flight.ts`). */
  id?: string | undefined
  /** For screen readers; without it, what the card lies in names it already. */
  label?: string | undefined
  /** Where the pictures of the deck are. */
  pictures?: string | undefined
}

export interface Deck {
  card: Component<CardProps>
  spoken: (face: string) => string
  /** What a hand can be sorted by, the usual order first. */
  orders: Record<string, (face: string) => number>
  pictures?: string
}

/** The decks among what a game brings (`GameInfo.brings`). */
export function broughtDecks(game: string, brings: readonly string[]): Record<string, Deck> {
  const folders = brings.filter((name) => name.startsWith('decks/'))
  const decks = folders.map((folder): [string, Deck] => [
    folder.slice('decks/'.length),
    {
      card: PictureCard,
      spoken: (face) => face,
      orders: {},
      pictures: `/package/${game}/${folder}`,
    },
  ])
  return Object.fromEntries(decks)
}

const SUITS: Record<string, CardSuit> = {
  '♣': 'clubs',
  '♦': 'diamonds',
  '♥': 'hearts',
  '♠': 'spades',
}
const SIGNS = Object.keys(SUITS)
const RANKS = ['A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K']

/** "10♥", "joker" → a card's face; `null` lies face down. */
export function cardFace(face: string | null | undefined): CardFace | null {
  if (!face) return null
  const suit = SUITS[face.slice(-1)]
  return suit ? { suit, rank: face.slice(0, -1) as CardRank } : { suit: 'joker', rank: 'W' }
}

/** Jokers come last, in either order. */
const placeIn = (all: readonly string[], one: string): number =>
  all.includes(one) ? all.indexOf(one) : all.length
const suitOf = (face: string): number => placeIn(SIGNS, face.slice(-1))
const rankOf = (face: string): number => placeIn(RANKS, face.slice(0, -1))

export const french: Deck = {
  card: FrenchCard,
  spoken: (face) => spoken(cardFace(face)),
  orders: {
    suit: (face) => suitOf(face) * 20 + rankOf(face),
    rank: (face) => rankOf(face) * 20 + suitOf(face),
  },
}

export const DECKS: Record<string, Deck> = {
  french,
  dice: { card: Die, spoken: (face) => face, orders: { number: Number } },
  text: { card: TextCard, spoken: (face) => face, orders: {} },
}

// In words

export const spokenThing = (deck: Deck, { face, marks = [] }: Thing): string =>
  [face ? deck.spoken(face) : t('face-down card'), ...marks.map(said)].join(', ')

/** A sentence as it is read aloud: "10♥" is "ten of hearts". */
export const spokenText = (text: string): string =>
  text.replace(/(?:10|[2-9AJQK])[♣♦♥♠]/g, (face) => french.spoken(face))

/** What a screen reader says of a zone: "Ben’s hand, 5 face down", "Pile, 3 in all". */
export function spokenZone(label: string, zone: Zone): string {
  const things = zone.things ?? []
  const all = things.length + (zone.more ?? 0)
  if (zone.look === 'pile')
    return all === 0 ? t('{label}, empty', { label }) : t('{label}, {all} in all', { label, all })
  const down = things.filter(({ face }) => face === undefined).length + (zone.more ?? 0)
  return down > 0 ? t('{label}, {down} face down', { label, down }) : label
}

// The order in which things are shown; what the server is told does not depend on it

export interface Arrangement {
  /** One of the deck's orders; "": as the player has put them. */
  order: string
  /** Ids as the player has put them; things that came since are not in here. */
  own: readonly string[]
}

export function arranged(
  things: readonly Thing[],
  deck: Deck,
  { order, own }: Arrangement,
): Thing[] {
  const place = ({ id }: Thing): number => (own.includes(id) ? own.indexOf(id) : own.length)
  const rank = deck.orders[order]
  const key = (thing: Thing): number =>
    order === '' ? place(thing) : rank && thing.face ? rank(thing.face) : 0
  return [...things].sort((a, b) => key(a) - key(b))
}

/** `shown` with `ids` moved to stand before what is now at `index`. */
export function moved(shown: readonly string[], ids: readonly string[], index: number): string[] {
  const before = shown.slice(0, index).filter((id) => !ids.includes(id))
  const after = shown.slice(index).filter((id) => !ids.includes(id))
  return [...before, ...ids, ...after]
}

const KEY = 'parlour.order.'

/** The order that the visitor has last chosen for this deck. */
export function keptOrder(name: string, deck: Deck): string {
  const kept = String(readStored(KEY + name))
  return kept in deck.orders ? kept : (Object.keys(deck.orders)[0] ?? '')
}

export const keepOrder = (name: string, order: string): void => store(KEY + name, order)
