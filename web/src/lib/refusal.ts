/** Why the server does not let a visitor in; final. */
import { t } from './messages'

export interface Refusal {
  /** The server's sentence, or ours. */
  why: string
  /** The table exists, so the visitor can at least watch. */
  exists: boolean
}

/** What the code and reason of a closed socket mean; the reason is the server's own sentence. */
export function refusalOf(code: number, reason: string): Refusal {
  const exists = ![3003, 4404, 4410].includes(code)
  const why = exists ? t('You cannot join this table.') : t('There is no such table.')
  return { why: reason || why, exists }
}
