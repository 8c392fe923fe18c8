/** What a screen reader is told: every move at the table, politely, in order. */

let next = 0

class Announcer {
  lines: { id: number; text: string }[] = $state([])

  say(text: string): void {
    if (!text) return
    this.lines = [...this.lines.slice(-19), { id: next++, text }]
  }
}

export const announcer = new Announcer()
