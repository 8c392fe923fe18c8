/** A long press (or the right button) on an element; the click that would follow is swallowed. */
import type { Attachment } from 'svelte/attachments'

const LONG = 450
const SLACK = 9

export function longPress(onpress: () => void): Attachment<HTMLElement> {
  return (element) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let start = { x: 0, y: 0 }
    let pressed = false

    const down = (event: PointerEvent): void => {
      pressed = false
      if (event.button !== 0 || event.pointerType === 'mouse') return
      start = { x: event.clientX, y: event.clientY }
      timer = setTimeout(fire, LONG)
    }
    const move = (event: PointerEvent): void => {
      if (Math.hypot(event.clientX - start.x, event.clientY - start.y) > SLACK) stop()
    }
    const stop = (): void => clearTimeout(timer)
    const fire = (): void => {
      stop()
      if (pressed) return
      pressed = true
      onpress()
    }
    const menu = (event: MouseEvent): void => {
      // Where a long press opens the browser's menu, it comes as this event.
      event.preventDefault()
      fire()
    }
    const click = (event: MouseEvent): void => {
      if (!pressed || event.detail === 0) return
      pressed = false
      event.stopImmediatePropagation()
      event.preventDefault()
    }

    const listeners: [string, (event: never) => void, boolean][] = [
      ['pointerdown', down, false],
      ['pointermove', move, false],
      ['pointerup', stop, false],
      ['pointercancel', stop, false],
      ['contextmenu', menu, false],
      ['click', click, true],
    ]
    for (const [name, listener, capture] of listeners) {
      element.addEventListener(name, listener as EventListener, { capture })
    }
    return () => {
      stop()
      for (const [name, listener, capture] of listeners) {
        element.removeEventListener(name, listener as EventListener, { capture })
      }
    }
  }
}
