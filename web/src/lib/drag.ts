/**
 * Carrying cards with mouse, pen or finger. The board view knows no rules: it is told which
 * places would take the card, and says where it was let go.
 *
 * A place is an element with `data-drop`; while a card is carried over it, it has `data-over`.
 */
import type { Attachment } from 'svelte/attachments'
import { ghost, hold } from './flight'

export interface DragOptions {
  /** Whether it can be picked up now. */
  ready: () => boolean
  /** The card elements that go along, the one under the pointer first. */
  carried: () => HTMLElement[]
  /** Picked up: light up the places. */
  onlift?: () => void
  /** Whether the place named `drop` would take it. */
  accepts: (drop: string) => boolean
  /** Let go over a place that takes it, at this point of the window. */
  ondrop: (drop: string, at: { x: number; y: number }) => void
  /** Let go, anywhere; after `ondrop`. */
  onrest?: () => void
}

const THRESHOLD = 7

export function draggable(options: DragOptions): Attachment<HTMLElement> {
  return (handle) => {
    let stop: (() => void) | null = null
    let load: { card: HTMLElement; copy: HTMLElement; home: DOMRect }[] = []

    function down(event: PointerEvent): void {
      if (event.button !== 0 || stop || !options.ready()) return
      const { clientX: x0, clientY: y0, pointerId } = event
      let over: HTMLElement | null = null

      const lift = (): void => {
        load = options.carried().map((card) => {
          const home = card.getBoundingClientRect()
          const copy = ghost(card, home)
          copy.style.filter = 'drop-shadow(0 8px 14px rgb(0 0 0 / 35%))'
          card.style.visibility = 'hidden'
          return { card, copy, home }
        })
        handle.setPointerCapture(pointerId)
        options.onlift?.()
      }

      const move = (moved: PointerEvent): void => {
        if (moved.pointerId !== pointerId) return
        const dx = moved.clientX - x0
        const dy = moved.clientY - y0
        if (load.length === 0) {
          if (Math.hypot(dx, dy) < THRESHOLD) return
          lift()
        }
        const lead = load[0]?.home
        load.forEach(({ copy, home }, at) => {
          // The others gather behind the first one.
          const gather =
            lead && at > 0
              ? { x: lead.x - home.x + at * 18, y: lead.y - home.y + at * 4 }
              : { x: 0, y: 0 }
          copy.style.transform = `translate(${dx + gather.x}px, ${dy + gather.y}px)`
        })
        const place = placeAt(moved.clientX, moved.clientY, options.accepts)
        if (place !== over) {
          over?.removeAttribute('data-over')
          place?.setAttribute('data-over', '')
          over = place
        }
      }

      const end = (ended: PointerEvent): void => {
        if (ended.pointerId !== pointerId) return
        stop?.()
        if (load.length === 0) return
        swallowClick()
        over?.removeAttribute('data-over')
        const drop = ended.type === 'pointerup' ? over?.dataset.drop : undefined
        for (const { card, copy, home } of load) {
          if (drop !== undefined) {
            hold(card.dataset.cardId ?? '', copy, card)
          } else {
            const at = copy.getBoundingClientRect()
            card.style.visibility = ''
            copy.remove()
            card.animate(
              [
                { transform: `translate(${at.x - home.x}px, ${at.y - home.y}px)` },
                { transform: 'none' },
              ],
              {
                duration: 180,
                easing: 'ease-out',
              },
            )
          }
        }
        load = []
        if (drop !== undefined) options.ondrop(drop, { x: ended.clientX, y: ended.clientY })
        options.onrest?.()
      }

      stop = () => {
        window.removeEventListener('pointermove', move)
        window.removeEventListener('pointerup', end)
        window.removeEventListener('pointercancel', end)
        stop = null
      }
      window.addEventListener('pointermove', move)
      window.addEventListener('pointerup', end)
      window.addEventListener('pointercancel', end)
    }

    handle.addEventListener('pointerdown', down)
    return () => {
      handle.removeEventListener('pointerdown', down)
      // If the card leaves the page while it is carried, remove its copy, too.
      stop?.()
      for (const { copy } of load) copy.remove()
    }
  }
}

function placeAt(x: number, y: number, accepts: (drop: string) => boolean): HTMLElement | null {
  for (const element of document.elementsFromPoint(x, y)) {
    const place = element.closest<HTMLElement>('[data-drop]')
    if (place?.dataset.drop !== undefined && accepts(place.dataset.drop)) return place
  }
  return null
}

/** Browsers send a click after a drop. Swallow it, but not one made by the keyboard (detail 0). */
function swallowClick(): void {
  const swallow = (event: MouseEvent): void => {
    if (event.detail === 0) return
    event.stopPropagation()
    event.preventDefault()
  }
  window.addEventListener('click', swallow, { capture: true, once: true })
  setTimeout(() => window.removeEventListener('click', swallow, { capture: true }), 50)
}
