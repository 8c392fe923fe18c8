/**
 * Sentences that the server makes, found by their English pattern: "{who} drew {card}." fits
 * "{0} drew 10♥.". `src/parlour/battery/translations.py` does the same for the tests.
 */

interface Pattern {
  matches: RegExp
  names: string[]
  /** How many characters are not open. */
  known: number
  forms: string[]
}

const PLACE = /\{([a-z]\w*)\}/g
const MOST_REMEMBERED = 2000
const same = (text: string): string => text

export class Sentences {
  #whole = new Map<string, string>()
  #patterns: Pattern[] = []
  #found = new Map<string, string | null>()

  /** A card's text in the visitor's language. */
  content: (text: string) => string = same

  /** `pick` is the form for a number; `join` joins a list. */
  constructor(
    readonly pick: (count: number, forms: readonly string[]) => string,
    readonly join: (words: string[]) => string,
  ) {}

  add(texts: Record<string, string>): void {
    for (const [english, text] of Object.entries(texts)) {
      // A number in braces is the name of a player, as in the sentence itself.
      if (/\{[a-z]/.test(english)) this.#patterns.push(pattern(english, text))
      else this.#whole.set(english, text)
    }
    // The one that leaves least open comes first.
    this.#patterns.sort((a, b) => b.known - a.known)
    this.#found.clear()
  }

  /** Translates the texts of cards, until the returned function is called. */
  read(content: (text: string) => string): () => void {
    this.content = content
    this.#found.clear()
    return () => {
      if (this.content === content) this.content = same
    }
  }

  /** The translation, or the text itself. */
  said(text: string): string {
    return this.#find(text) ?? text
  }

  #find(text: string): string | null {
    // Names of players ("{0}"), numbers and signs are the same in every language.
    if (!/\p{L}{2}/u.test(text)) return text
    const known = this.#found.get(text)
    if (known !== undefined) return known
    const found =
      this.#whole.get(text) ??
      this.#matched(text) ??
      this.#parts(text, /(?<=[.!?]) /, (parts) => parts.join(' ')) ??
      this.#parts(text, /, | and /, this.join)
    if (this.#found.size >= MOST_REMEMBERED) this.#found.clear()
    this.#found.set(text, found)
    return found
  }

  #matched(text: string): string | null {
    for (const { matches, names, forms } of this.#patterns) {
      const told = matches.exec(text)?.slice(1)
      const values = told?.map((value, at) =>
        // People's words stay as they are.
        names[at]!.startsWith('text') ? this.content(value) : this.#find(value),
      )
      if (!told || !values || values.includes(null)) continue
      const form = this.pick(Number(told[names.indexOf('count')]), forms)
      return form.replace(/\{([a-z]\w*)\}/g, (_, name: string) => values[names.indexOf(name)] ?? '')
    }
    return null
  }

  #parts(text: string, by: RegExp, join: (parts: string[]) => string): string | null {
    const parts = text.split(by)
    if (parts.length < 2) return null
    const found = parts.map((part) => this.#find(part))
    return found.every((part) => part !== null) ? join(found) : null
  }
}

function pattern(english: string, text: string): Pattern {
  const names = [...english.matchAll(PLACE)].map((match) => match[1]!)
  const parts = english.split(/\{[a-z]\w*\}/)
  const source = parts
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .reduce((whole, part, at) => whole + (names[at - 1] === 'count' ? '(-?\\d+)' : '(.+?)') + part)
  const known = parts.join('').length
  return { matches: new RegExp(`^${source}$`, 's'), names, known, forms: text.split('|') }
}
