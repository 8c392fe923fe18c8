/** Card texts: in which language, with which gaps, and cards that players wrote themselves. */
import type { Texts } from './messages'

/** A text, and the language it is really in. */
export interface Wording {
  text: string
  lang: string
}

const bare = (tag: string): string => tag.split('-')[0] ?? tag

/** `texts` in the wanted language, or in the nearest one there is. */
export function wording(texts: Texts, wanted: string): Wording {
  for (const lang of [wanted, bare(wanted), 'en']) {
    const text = texts[lang]
    if (text !== undefined) return { text, lang }
  }
  const [lang = '', text = ''] = Object.entries(texts)[0] ?? []
  return { text, lang }
}

/** The bare languages that any of these texts is in. English is first, if it is there. */
export function languagesOf(all: Iterable<Texts>): string[] {
  const found = new Set<string>()
  for (const texts of all) for (const tag of Object.keys(texts)) found.add(bare(tag))
  return [...found].sort((a, b) => Number(b === 'en') - Number(a === 'en') || (a < b ? -1 : 1))
}

/** What a language calls itself: "Deutsch". */
export function nameOfLanguage(tag: string): string {
  try {
    return new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}

/** A piece of a black card: its own words, or the gap with this number. */
export type Piece = { words: string } | { gap: number }

/**
 * A black card in pieces. It takes `pick` answers: those it has no gap for (all, where it is a
 * question) come after its words. Gaps too many are left as they are written.
 */
export function piecesOf(text: string, pick: number): Piece[] {
  const pieces: Piece[] = []
  let gaps = 0
  for (const part of text.split(/(_{2,})/)) {
    if (/^_{2,}$/.test(part) && gaps < pick) pieces.push({ gap: gaps++ })
    else if (part !== '') pieces.push({ words: part })
  }
  while (gaps < pick) pieces.push({ gap: gaps++ })
  return pieces
}

/** How many gaps stand in the text itself. */
export const gapsIn = (text: string): number => text.match(/_{2,}/g)?.length ?? 0

/** What the server makes of a text that a player writes, as far as one should see it while typing. */
export const cleaned = (text: string): string =>
  text.replaceAll('<', '').replace(/\s+/g, ' ').trim()
