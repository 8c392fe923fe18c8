/** How long to wait before connecting again, and when not to try. */

const FIRST = 300
const LONGEST = 8000

/** Doubles from 0.3 s to 8 s; the random part keeps everybody from reconnecting at the same moment. */
export function retryDelay(failures: number, chance: number = Math.random()): number {
  const full = Math.min(LONGEST, FIRST * 2 ** failures)
  return Math.round(full * (0.75 + chance / 2))
}

/** 1008 and everything from 3000 on is the server's decision; the rest (1001, 1006 …) is trouble
 *  that passes. */
export function isFinal(code: number): boolean {
  return code === 1008 || code >= 3000
}

/** The server stops or restarts: it says so when it closes a connection. */
export function leaves(code: number): boolean {
  return code === 1001 || code === 1012
}
