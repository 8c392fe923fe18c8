/** How a game is played: what its guide holds, and whether it is being read. */
import { readStored, store } from './storage'

/** Enough to begin with, read in a minute. */
export interface Guide {
  /** The goal of the game. */
  goal: string
  /** The steps of a turn, in order. */
  turn: string[]
  /** The game's own words, and what they mean. */
  words: { word: string; means: string }[]
}

const KEY = 'parlour.guides-read'

class GuideReader {
  open = $state(false)
  #read: string[] = $state.raw(stored())

  /** Whether this visitor has opened this game's guide before. */
  hasRead(game: string): boolean {
    return this.#read.includes(game)
  }

  show(game: string): void {
    this.open = true
    if (this.hasRead(game)) return
    this.#read = [...this.#read, game]
    store(KEY, this.#read)
  }
}

function stored(): string[] {
  const found = readStored(KEY)
  return Array.isArray(found) ? (found as string[]) : []
}

export const guideReader = new GuideReader()
