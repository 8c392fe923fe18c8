/**
 * This browser's part in the deals of its matches, and what it was told of them (docs/fairness.md).
 * It is kept here, so that a replay can be compared with it.
 */
import { hex } from './sha256'
import { readStored, store } from './storage'

export interface Evidence {
  /** As the server told it before the deal. */
  commitment: string
  /** The numbers that this browser sent for it: the first that arrived counts. */
  nonces: string[]
  /** Of the chain of the log, as the server told it after the match. */
  head?: string
}

const KEY = 'deals'
/** Of the last matches that were played here. */
const MOST = 50

function all(): [string, Evidence][] {
  const kept = readStored(KEY)
  return Array.isArray(kept) ? (kept as [string, Evidence][]) : []
}

/** This browser’s evidence of a match; `undefined` if it did not take part. */
export const evidenceOf = (match: string): Evidence | undefined =>
  all().find(([id]) => id === match)?.[1]

function keep(match: string, evidence: Evidence): void {
  const others = all().filter(([id]) => id !== match)
  store(KEY, [...others, [match, evidence]].slice(-MOST))
}

/** The answer to a commitment: a new number for a new match, the same one after a reconnection. */
export function numberFor(match: string, commitment: string): string {
  const known = evidenceOf(match)
  const same = known?.commitment === commitment
  const nonce = (same && known.nonces[0]) || hex(crypto.getRandomValues(new Uint8Array(32)))
  if (!known) keep(match, { commitment, nonces: [nonce] })
  // Another commitment for the same match: the first one is what the server is held to.
  else if (!known.nonces.includes(nonce))
    keep(match, { ...known, nonces: [...known.nonces, nonce] })
  return nonce
}

/** The log ended so. Only the first time counts. */
export function ended(match: string, head: string): void {
  const known = evidenceOf(match)
  if (known && known.head === undefined) keep(match, { ...known, head })
}
