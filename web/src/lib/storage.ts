/**
 * JSON kept in this browser. A browser may refuse to keep anything (private windows, settings):
 * the page then works as well, and forgets when it is closed.
 */

/** `local` outlives the tab, `session` does not. */
export type Where = 'local' | 'session'

const storageOf = (where: Where): Storage => (where === 'local' ? localStorage : sessionStorage)

/** What is kept under `key`; `null` for nothing, `unavailable` where nothing can be read. */
export function readStored(
  key: string,
  where: Where = 'local',
  unavailable: unknown = null,
): unknown {
  try {
    return JSON.parse(storageOf(where).getItem(key) ?? 'null') as unknown
  } catch {
    return unavailable
  }
}

export function store(key: string, value: unknown, where: Where = 'local'): void {
  try {
    storageOf(where).setItem(key, JSON.stringify(value))
  } catch {
    // Nothing is stored; the page works without it.
  }
}
