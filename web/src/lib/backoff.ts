/** How long to wait before knocking again, and when not to knock at all. */

const FIRST = 300
const LONGEST = 8000

/** Doubles from 0.3 s to 8 s; a little chance keeps a whole parlour from knocking at once. */
export function pause(failures: number, chance: number = Math.random()): number {
  const full = Math.min(LONGEST, FIRST * 2 ** failures)
  return Math.round(full * (0.75 + chance / 2))
}

/** 1008 and everything from 3000 on is a considered no; the rest (1001, 1006 …) passes. */
export function refused(code: number): boolean {
  return code === 1008 || code >= 3000
}
