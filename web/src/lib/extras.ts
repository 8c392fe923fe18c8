/** What every table tells besides its game's protocol (docs/protocols/extras.md). */
import type { Noted, Outgoing, Round, Score, TableExtras, Waiting } from '../protocol/extras'

export type {
  Incoming as ExtrasRequest,
  Noted,
  Person,
  Said,
  Scores,
  TableExtras,
} from '../protocol/extras'
export type { Round, Score, Waiting }

/** The extras in a message; `null` where it is one of the game's own. */
export function extrasIn(message: unknown): Outgoing | null {
  const type = (message as { type?: unknown } | null)?.type
  return typeof type === 'string' && type.startsWith('extras_') ? (message as Outgoing) : null
}

/** The address of a table's socket, asking for extras. */
export const withExtras = (path: string, extras = 'story'): string =>
  `${path}${path.includes('?') ? '&' : '?'}extras=${extras}`

/** A note as a sentence. */
export function noteText({ kind, name }: Noted): string {
  switch (kind) {
    case 'away':
      return `${name} lost the connection.`
    case 'back':
      return `${name} is back.`
    case 'skipped':
      return `${name} is away: their turn was skipped.`
    case 'left':
      return `${name} left.`
    case 'expired':
      return `${name} was away for too long and lost the seat.`
    case 'voted':
      return `The others go on without ${name}.`
    case 'put-out':
      return `${name} was removed from the table.`
    case 'ended':
      return endedBy(name)
  }
}

/** Why a match ended that did not come to its own end. */
export const endedBy = (name: string): string => `The round ended because ${name} left.`

/** This visitor's place in the queue, 1 for the first; 0 where they do not wait. */
export const placeInLine = (table: TableExtras | null): number =>
  (table?.queue.findIndex(({ you }) => you) ?? -1) + 1

/**
 * Of the lines that tell a match from its beginning, those that are not in the list yet. The list
 * may begin before the match, or in the middle of it.
 */
export function missedOf(told: readonly string[], listed: readonly string[]): string[] {
  for (let seen = told.length; seen > 0; seen--) {
    const count = Math.min(seen, listed.length)
    const tail = listed.slice(listed.length - count)
    if (count > 0 && tail.every((line, at) => line === told[seen - count + at])) {
      return told.slice(seen)
    }
  }
  return [...told]
}
