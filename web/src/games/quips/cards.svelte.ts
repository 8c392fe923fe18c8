/** The cards of a table's packs, in the language that this visitor reads. Scenes have them in
 *  English; a card that is in no pack stays as it is. */
import { keepLanguage, storedLanguage } from './keepsakes'
import { isWhite, type Pack, type WhiteCard } from './messages'
import { answersIn, filled, languagesOf, wording, type Wording } from './texts'

export interface Card extends Wording {
  pack?: Pack
  /** What it can become. */
  better?: WhiteCard | undefined
}

export class Cards {
  packs: readonly Pack[] = $state.raw([])
  language: string = $state(storedLanguage())

  readonly #all = $derived.by(() =>
    this.packs.flatMap((pack) => pack.cards.map((card) => ({ card, pack }))),
  )
  readonly #byFace = $derived.by(
    () => new Map(this.#all.map((entry) => [entry.card.content['en'] ?? '', entry])),
  )
  readonly #whites = $derived.by(
    () => new Map(this.#all.flatMap(({ card }) => (isWhite(card) ? [[card.id, card]] : []))),
  )
  /** Those with the most words first: what fits them leaves the least open. */
  readonly #blacks = $derived.by(() =>
    this.#all
      .flatMap(({ card }) => (isWhite(card) ? [] : [card]))
      .sort((a, b) => (b.content['en'] ?? '').length - (a.content['en'] ?? '').length),
  )
  readonly languages: string[] = $derived.by(() =>
    languagesOf(this.#all.map(({ card }) => card.content)),
  )

  of(face: string): Card {
    const found = this.#byFace.get(face)
    if (!found) return { text: face, lang: '' }
    const { card, pack } = found
    const better = isWhite(card) ? this.#whites.get(card.next_tier_id) : undefined
    return { ...wording(card.content, this.language), pack, better }
  }

  /** The text of a card in a move; of several, or of a black card with answers in its gaps. */
  told(text: string): string {
    if (this.#byFace.has(text)) return this.of(text).text
    for (const { content, pick = 1 } of this.#blacks) {
      const answers = answersIn(text, content['en'] ?? '', pick)?.map((each) => this.of(each).text)
      if (answers)
        return filled(wording(content, this.language).text, pick, (at) => answers[at] ?? '')
    }
    return text
      .split(' / ')
      .map((each) => this.of(each).text)
      .join(' / ')
  }

  read(language: string): void {
    this.language = language
    keepLanguage(language)
  }
}
