/** What every table tells besides its game's protocol (docs/protocols/extras.md). */
import { t } from './messages'
import type { At, Noted, Outgoing, Round, Score, TableExtras, Waiting } from '../protocol/extras'

export type {
  At,
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
  `${path}${path.includes('?') ? '&' : '?'}extras=${extras},notice,deals`

/** How far this page got with what a table tells: it can go on from there on a new connection. */
export class Progress {
  #at = ''
  #had = 0
  #next = ''
  #left = 0

  /** The value of `since` for the next connection; '' where it needs a greeting. */
  get since(): string {
    return this.#at && this.#had ? `${this.#at}.${this.#had}` : this.#at
  }

  /** The rest of a group that was cut off comes as a group of its own. */
  connected(): void {
    this.#left = 0
  }

  announced({ at, messages, whole }: At): void {
    this.#next = at
    this.#left = messages
    if (whole) {
      this.#at = ''
      this.#had = 0
    }
    this.#complete()
  }

  /** One more message arrived. */
  count(): void {
    if (this.#left === 0) return
    this.#left--
    this.#had++
    this.#complete()
  }

  #complete(): void {
    if (this.#left > 0) return
    this.#at = this.#next
    this.#had = 0
  }
}

/** Whether a message is not counted, because it may come in the middle of a group. */
export const uncounted = ({ type }: Outgoing): boolean =>
  type === 'extras_pong' || type === 'extras_refused' || type === 'extras_notice'

/** A note as a sentence. */
export function noteText({ kind, name }: Noted): string {
  switch (kind) {
    case 'away':
      return t('{name} lost the connection.', { name })
    case 'back':
      return t('{name} is back.', { name })
    case 'skipped':
      return t('{name} is away: their turn was skipped.', { name })
    case 'left':
      return t('{name} left.', { name })
    case 'expired':
      return t('{name} was away for too long and lost the seat.', { name })
    case 'voted':
      return t('The others go on without {name}.', { name })
    case 'put-out':
      return t('{name} was removed from the table.', { name })
    case 'ended':
      return endedBy(name)
  }
}

/** Why a match ended that did not come to its own end. */
export const endedBy = (name: string): string => t('The round ended because {name} left.', { name })

/** This visitor's place in the queue, 1 for the first; 0 where they do not wait. */
export const placeInLine = (table: TableExtras | null): number =>
  (table?.queue.findIndex(({ you }) => you) ?? -1) + 1

/**
 * Of the lines that tell a match from its beginning, those that are not in the list yet. The list
 * may begin before the match, or in the middle of it, and say more: who came and went.
 */
export function missedOf(told: readonly string[], listed: readonly string[]): string[] {
  const lines = listed.filter((line) => told.includes(line))
  for (let seen = told.length; seen > 0; seen--) {
    const count = Math.min(seen, lines.length)
    const tail = lines.slice(lines.length - count)
    if (count > 0 && tail.every((line, at) => line === told[seen - count + at])) {
      return told.slice(seen)
    }
  }
  return [...told]
}
