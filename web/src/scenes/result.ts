/** How a match ended, as its result is shown. */
export interface MatchResult {
  /** Seats; empty where nobody has won. */
  winners: number[]
  /** By seat. */
  points: Record<number, number | string>
  /** What `points` are. */
  what: string
  /** Instead of who has won. */
  title?: string
  /** What else there is to say. */
  note?: string
  /** By seat, where matches add up in the game itself. */
  totals?: Record<number, number> | undefined
  /** Seats, the best first, where winners first is not enough. */
  ranked?: number[]
}
