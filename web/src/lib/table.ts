/** What every table with others at it knows. */

import { letGo } from './flight'
import { toasts } from './toasts.svelte'

export interface Seating {
  code: string
  /** Looking on, without a seat. */
  watch: boolean
  /** Begin as soon as two sit here. */
  eager: boolean
}

/** Why the server will not have us here; final. */
export interface Refusal {
  why: string
  /** There is such a table, so one may at least look on. */
  exists: boolean
}

/** What a closed door means: the codes are the server's, the reason is its sentence. */
export function refusalOf(code: number, reason: string): Refusal {
  const exists = code !== 4404 && code !== 3003
  return {
    why: reason || (exists ? 'This table does not let you in.' : 'There is no such table.'),
    exists,
  }
}

/** A line of what happened at the table. */
export interface Line {
  id: number
  text: string
  /** Said by somebody, not done. */
  by?: string
}

/** A picture of the table after (re)connecting arrives in one go; its end is a moment's silence. */
export const SNAPSHOT_SILENCE = 80

/** Send what the visitor does. Where the line is cut, say so, and let go of what they carry. */
export function sendOrSay<Out>(socket: { send(message: Out): boolean }, message: Out): boolean {
  const sent = socket.send(message)
  if (!sent) {
    toasts.error('The line to the table is cut just now.')
    letGo()
  }
  return sent
}
