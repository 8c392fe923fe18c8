/** What happened at a table and what was said there, line by line. */
import { missedOf } from './extras'

export interface LogLine {
  id: number
  text: string
  /** Who said it; missing if the line is a move. */
  by?: string
}

const LENGTH = 80

export class TableLog {
  lines: LogLine[] = $state.raw([])
  /** Without what people said whom this visitor does not want to hear. */
  readonly heard: readonly LogLine[] = $derived(
    this.lines.filter(({ by }) => !by || this.hears(by)),
  )
  /** How many lines others have said since somebody last looked. */
  unread = $state(0)

  #next = 0
  #looking = false
  /** The visitor's last chat line, until the server sends it back. */
  #own = ''

  constructor(readonly hears: (name: string) => boolean) {}

  /** The visitor has opened or closed the log. */
  look(looking: boolean): void {
    this.#looking = looking
    if (looking) this.unread = 0
  }

  /** The visitor says this: its line comes from the server. */
  say(text: string): void {
    this.#own = text.trim()
  }

  isOwn(text: string): boolean {
    return text === this.#own
  }

  /** `news`: that is happening now. */
  write(text: string, { by, news = true }: { by?: string | undefined; news?: boolean } = {}): void {
    if (by && this.isOwn(text)) this.#own = ''
    else if (by && news && !this.#looking && this.hears(by)) this.unread++
    const line = { id: this.#next++, text, ...(by && { by }) }
    this.lines = [...this.lines.slice(1 - LENGTH), line]
  }

  /** Writes those of these moves that are not listed yet; returns how many. */
  writeMissed(told: readonly string[]): number {
    const listed = this.lines.filter(({ by }) => !by).map(({ text }) => text)
    const missed = missedOf(told, listed)
    for (const line of missed) this.write(line)
    return missed.length
  }
}
