/** MO's animations besides cards flying to piles: attacks, and cards that go below the draw pile. */
import { fly, ghost } from '../../lib/flight'
import { motionAllowed } from '../../lib/preferences.svelte'
import type { BoardMessage } from '../../protocol/mo'
import { DRAW, laneOf, placeOf, type Names } from './layout'

const FLIGHT = 300
/** The blow comes when the card that strikes has landed. */
const BLOW = 260
const SHAKE = 280
const TURN = 170

interface Scene {
  board: BoardMessage
  names: Names
}

/** Runs `change`, which shows `after` instead of `before`, and lets it be seen to happen. */
export function perform(
  root: HTMLElement | null,
  before: Scene,
  after: Scene,
  change: () => void,
): void {
  if (!root || !motionAllowed() || document.hidden) {
    fly(root, change)
    return
  }
  const fallen = after.board.defeated.filter((pile) => !before.board.defeated.includes(pile))
  const standing = fallen.map((pile) => ({ pile, copies: copiesOf(root, pile) }))
  const gone = leaving(root, after.names)
  fly(root, change, { duration: FLIGHT, from: () => DRAW })
  for (const copy of gone) vanish(copy, root)
  for (const { pile, copies } of standing) {
    strike(root, before.board, pile)
    fall(root, pile, copies)
  }
}

const zone = (root: HTMLElement, pile: string): HTMLElement | null =>
  root.querySelector(`[data-zone="${pile}"]`)

const cardsIn = (root: HTMLElement, pile: string): HTMLElement[] => [
  ...(zone(root, pile)?.querySelectorAll<HTMLElement>('[data-card-id]') ?? []),
]

const copiesOf = (root: HTMLElement, pile: string): HTMLElement[] =>
  cardsIn(root, pile).map((card) => ghost(card, card.getBoundingClientRect()))

/** Copies of the cards that lie open now and won't any more. */
function leaving(root: HTMLElement, after: Names): HTMLElement[] {
  const staying = new Set(Object.values(after).flat())
  return [...root.querySelectorAll<HTMLElement>('[data-card-id]')]
    .filter((card) => !staying.has(card.dataset.cardId ?? ''))
    .map((card) => ghost(card, card.getBoundingClientRect()))
}

/** Under the draw pile. */
function vanish(copy: HTMLElement, root: HTMLElement): void {
  const to = zone(root, DRAW)?.getBoundingClientRect()
  const from = copy.getBoundingClientRect()
  if (!to) return copy.remove()
  const away = `translate(${to.x - from.x}px, ${to.y - from.y}px) scale(${to.width / from.width})`
  copy.style.transformOrigin = '0 0'
  const flight = copy.animate(
    [
      { transform: 'none' },
      { transform: away, opacity: 1, offset: 0.85 },
      { transform: away, opacity: 0 },
    ],
    { duration: FLIGHT * 1.3, easing: 'ease-in-out', fill: 'forwards' },
  )
  flight.onfinish = () => copy.remove()
  flight.oncancel = () => copy.remove()
}

/** The two cards that add up lunge at their royal. */
function strike(root: HTMLElement, board: BoardMessage, pile: string): void {
  const lane = laneOf(board, pile)
  if (!lane) return
  const target = placeOf(pile)
  for (const name of [lane.near, lane.middle]) {
    const at = placeOf(name)
    const x = Math.sign(target.column - at.column) * 9
    const y = Math.sign(target.row - at.row) * 9
    for (const card of cardsIn(root, name)) {
      card.animate(
        [
          { transform: 'none' },
          { transform: `translate(${-x / 3}px, ${-y / 3}px)`, offset: 0.35 },
          { transform: `translate(${x}px, ${y}px)`, offset: 0.6 },
          { transform: 'none' },
        ],
        { delay: BLOW - 120, duration: 420, easing: 'ease-in-out' },
      )
    }
  }
}

/** The royal shakes, and turns over with all it wears. */
function fall(root: HTMLElement, pile: string, copies: HTMLElement[]): void {
  for (const copy of copies) {
    const shaking = copy.animate(
      [
        { transform: 'none', filter: 'none' },
        { transform: 'rotate(-5deg)', filter: 'brightness(1.25)' },
        { transform: 'rotate(5deg)', filter: 'brightness(1.25)' },
        { transform: 'rotate(-3deg)' },
        { transform: 'none', filter: 'none' },
      ],
      { delay: BLOW, duration: SHAKE },
    )
    shaking.onfinish = () => {
      const turning = copy.animate(
        [{ transform: 'perspective(500px)' }, { transform: 'perspective(500px) rotateY(90deg)' }],
        { duration: TURN, easing: 'ease-in', fill: 'forwards' },
      )
      turning.onfinish = () => copy.remove()
      turning.oncancel = () => copy.remove()
    }
    shaking.oncancel = () => copy.remove()
  }
  for (const card of cardsIn(root, pile)) {
    const wait = BLOW + SHAKE + TURN
    card.animate([{ opacity: 0 }, { opacity: 0 }], { duration: wait })
    card.animate(
      [{ transform: 'perspective(500px) rotateY(-90deg)' }, { transform: 'perspective(500px)' }],
      { delay: wait, duration: TURN, easing: 'ease-out', fill: 'backwards' },
    )
  }
}
