/**
 * Cards that move: measure, change, measure again, and let each card fly the difference (FLIP).
 *
 * A card is any element with `data-card-id`; it lies in the closest element with `data-zone`.
 * Within its zone a card slides in place; from zone to zone a copy of it flies above
 * everything, so that no scrolling area cuts it off. One that was face down turns over.
 */
import { flushSync } from 'svelte'
import { motionAllowed } from './preferences.svelte'

interface Place {
  rect: DOMRect
  zone: string
  down: boolean
}

export interface FlightOptions {
  /** Milliseconds in the air. */
  duration?: number
  /** The zone a card comes from when it had no element of its own (inside a deck, say). */
  from?: (id: string) => string | null
}

const DEAL = 320
/** From the first card to the last, in milliseconds. */
const LONGEST_DEAL = 900
const EASE = 'cubic-bezier(.22,.7,.25,1)'

/** By card id: copies of cards that were dropped and stay there until the server answers. */
const held = new Map<string, HTMLElement>()

/** Runs `change` (it must set state only) and flies every card under `root` to its new place. */
export function fly(
  root: HTMLElement | null,
  change: () => void,
  options: FlightOptions = {},
): void {
  if (!root || !motionAllowed() || document.hidden) {
    change()
    flushSync()
    returnHeldCards()
    return
  }
  const before = places(root)
  const zones = new Map(
    [...root.querySelectorAll<HTMLElement>('[data-zone]')].map((zone) => [
      zone.dataset.zone ?? '',
      zone.getBoundingClientRect(),
    ]),
  )
  change()
  flushSync()
  const duration = options.duration ?? 280
  for (const card of root.querySelectorAll<HTMLElement>('[data-card-id]')) {
    const id = card.dataset.cardId ?? ''
    const zone = zoneOf(card)
    const copy = held.get(id)
    const old = before.get(id)
    if (old && old.zone === zone) {
      if (!copy) slide(card, old.rect, duration)
      continue
    }
    const seen = old && old.rect.width > 0 ? old.rect : undefined
    const source = zones.get(options.from?.(id) ?? '')
    const start = copy?.getBoundingClientRect() ?? seen ?? (source && shrunk(source))
    if (copy) release(id)
    if (start) soar(card, start, duration, (old?.down ?? true) && card.dataset.face !== 'back')
  }
}

/** Lets every card come from a zone, one after the other; from the middle where there is none. */
export function deal(root: HTMLElement, from: string): void {
  if (!motionAllowed() || document.hidden) return
  const deck = root.querySelector(`[data-zone="${CSS.escape(from)}"]`) ?? root
  const start = shrunk(deck.getBoundingClientRect())
  const cards = [...root.querySelectorAll<HTMLElement>('[data-card-id]')]
  cards
    .filter((card) => zoneOf(card) !== from)
    .forEach((card, at) => {
      const turns = card.dataset.face !== 'back'
      soar(card, start, DEAL, turns, at * Math.min(70, LONGEST_DEAL / cards.length))
    })
}

/** Keeps a dropped card's copy where it is until the card moves, or gives up after a moment. */
export function hold(id: string, copy: HTMLElement, card: HTMLElement): void {
  release(id)
  held.set(id, copy)
  card.style.visibility = 'hidden'
  setTimeout(() => {
    if (held.get(id) === copy) returnHome(id, card)
  }, 900)
}

/** The server said no (or nothing): every dropped card goes back to where it was. */
export function returnHeldCards(): void {
  for (const id of [...held.keys()]) {
    const card = document.querySelector<HTMLElement>(`[data-card-id="${CSS.escape(id)}"]`)
    if (card) returnHome(id, card)
    else release(id)
  }
}

function returnHome(id: string, card: HTMLElement): void {
  const copy = held.get(id)
  if (copy && motionAllowed()) slide(card, copy.getBoundingClientRect(), 200)
  card.style.visibility = ''
  release(id)
}

function release(id: string): void {
  held.get(id)?.remove()
  held.delete(id)
}

function places(root: HTMLElement): Map<string, Place> {
  const found = new Map<string, Place>()
  for (const card of root.querySelectorAll<HTMLElement>('[data-card-id]')) {
    found.set(card.dataset.cardId ?? '', {
      rect: card.getBoundingClientRect(),
      zone: zoneOf(card),
      down: card.dataset.face === 'back',
    })
  }
  return found
}

const zoneOf = (card: HTMLElement): string =>
  card.closest<HTMLElement>('[data-zone]')?.dataset.zone ?? ''

/** A card coming out of a whole zone starts in its middle, not as large as the zone. */
function shrunk(zone: DOMRect): DOMRect {
  const width = Math.min(zone.width, 60)
  const height = width * 1.4
  return new DOMRect(
    zone.x + (zone.width - width) / 2,
    zone.y + (zone.height - height) / 2,
    width,
    height,
  )
}

function offset(from: DOMRect, to: DOMRect): string {
  return `translate(${from.x - to.x}px, ${from.y - to.y}px) scale(${from.width / to.width})`
}

function slide(card: HTMLElement, from: DOMRect, duration: number): void {
  const to = card.getBoundingClientRect()
  if (Math.abs(from.x - to.x) < 1 && Math.abs(from.y - to.y) < 1) return
  card.animate(
    [
      { transform: offset(from, to), transformOrigin: '0 0' },
      { transform: 'none', transformOrigin: '0 0' },
    ],
    { duration: duration * 0.8, easing: EASE },
  )
}

function soar(
  card: HTMLElement,
  from: DOMRect,
  duration: number,
  turnOver: boolean,
  delay = 0,
): void {
  const to = card.getBoundingClientRect()
  if (to.width === 0) return
  const copy = ghost(card, to)
  if (turnOver) {
    copy.classList.add('turning')
    copy.firstElementChild?.animate(
      [{ transform: 'rotateY(180deg)' }, { transform: 'rotateY(0)' }],
      { duration, delay, fill: 'backwards', easing: 'ease-in-out' },
    )
  }
  const flight = copy.animate(
    [
      { transform: offset(from, to), transformOrigin: '0 0' },
      { transform: 'none', transformOrigin: '0 0' },
    ],
    { duration, delay, fill: 'backwards', easing: EASE },
  )
  const hidden = card.animate([{ opacity: 0 }, { opacity: 0 }], { duration: delay + duration })
  // If the card moves on before it has landed, its copy goes with it.
  const land = (): void => {
    copy.remove()
    hidden.cancel()
  }
  flight.onfinish = land
  flight.oncancel = land
}

/** A copy of a card that no test, screen reader or measurement takes for the card itself. */
export function ghost(card: HTMLElement, at: DOMRect): HTMLElement {
  const copy = card.cloneNode(true) as HTMLElement
  copy.removeAttribute('data-card-id')
  copy.removeAttribute('role')
  copy.removeAttribute('aria-label')
  copy.setAttribute('aria-hidden', 'true')
  copy.style.cssText = `position:fixed;left:${at.x}px;top:${at.y}px;width:${at.width}px;--card-w:${at.width}px;z-index:50;pointer-events:none;margin:0`
  document.body.append(copy)
  return copy
}
