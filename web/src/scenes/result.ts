/** How a match ended, as its result is shown. */
export interface MatchResult {
  /** Seats; empty where nobody has won. */
  winners: number[]
  /** By seat. */
  points: Record<number, number | string>
  /** What `points` are. */
  what: string
}
