import { toasts } from './toasts.svelte'

/** Does it; or, where there is a reason why it can't be done now, says that. */
export function attempt(why: string | undefined, act: () => void): void {
  if (why) toasts.note(why)
  else act()
}
