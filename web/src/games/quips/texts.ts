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

/** A black card's text with its answers, as moves have it: those without a gap come after it. */
export function filled(text: string, pick: number, answer: (at: number) => string): string {
  const gaps = gapsIn(text)
  return piecesOf(text, pick)
    .map((piece) => {
      if ('words' in piece) return piece.words
      return piece.gap < gaps ? answer(piece.gap) : ` ${answer(piece.gap)}.`
    })
    .join('')
}

/** The answers that a text has in it, if it is this black card `filled`. */
export function answersIn(told: string, text: string, pick: number): string[] | null {
  const [first = '', ...rest] = filled(text, pick, () => '\0').split('\0')
  if (!told.startsWith(first)) return null
  const answers: string[] = []
  let at = first.length
  for (const [i, words] of rest.entries()) {
    // Cards come from other people, so this must not take long: no regular expression.
    const last = i === rest.length - 1
    const end = last ? told.length - words.length : told.indexOf(words, at + 1)
    if (end <= at || !told.startsWith(words, end)) return null
    answers.push(told.slice(at, end))
    at = end + words.length
  }
  return at === told.length ? answers : null
}

/** How many gaps stand in the text itself. */
export const gapsIn = (text: string): number => text.match(/_{2,}/g)?.length ?? 0

/** What the server makes of a text that a player writes, as far as one should see it while typing. */
export const cleaned = (text: string): string =>
  text.replaceAll('<', '').replace(/\s+/g, ' ').trim()
