import { toasts } from './toasts.svelte'

/** Calls `act`, or shows the reason why it can't be done now. */
export function attempt(why: string | undefined, act: () => void): void {
  if (why) toasts.note(why)
  else act()
}
