/** Reports data from the server that does not have the type it should have. */
import { mark, t } from './messages'
import type { Shape } from './shapes'
import { toasts } from './toasts.svelte'

export const UNREADABLE = mark(
  'The server sent something this page cannot read. If the table looks wrong, reload the page.',
)

/** So that a server with many faults does not fill the console. */
const MOST_REPORTED = 10
const reported = new Set<string>()

/** Whether `value` is a `T`; if not, that is reported. `what` names it in the report. */
export function fits<T>(shape: Shape<T>, value: unknown, what: string): value is T {
  const wrong = shape(value)
  if (wrong) report(`${what}${wrong}`)
  return !wrong
}

/** Tells the console what is wrong and the visitor that something is, once for each problem. */
export function report(problem: string): void {
  const kind = problem.replace(/\[\d+\]/g, '[]').slice(0, 200)
  if (reported.has(kind) || reported.size >= MOST_REPORTED) return
  reported.add(kind)
  console.error(`Ignored what the server sent: ${kind}`)
  toasts.error(t(UNREADABLE))
}

/** For tests: nothing has been reported yet. */
export const forget = (): void => reported.clear()
