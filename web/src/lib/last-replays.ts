/** The last finished match of each table that was seen in this tab, for when the table has closed. */
const PREFIX = 'parlour.replay.'

export function rememberReplay(code: string, id: string): void {
  try {
    sessionStorage.setItem(PREFIX + code, id)
  } catch {
    // No storage: the table's replay is still in the list of matches.
  }
}

export function lastReplay(code: string): string | null {
  try {
    return sessionStorage.getItem(PREFIX + code)
  } catch {
    return null
  }
}
