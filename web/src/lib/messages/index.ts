/**
 * Texts of the page in the visitor's language. A message is its English text; `de/*.json` and the
 * folders of other languages translate it. `docs/languages.md` explains the files.
 */
import { rooted } from '../root'
import { preferences } from '../preferences.svelte'
import { disguised } from './pseudo'
import { Sentences } from './sentences'
import type admin from './de/admin.json'
import type cambia from './de/cambia.json'
import type cambiaGuide from './de/cambia-guide.json'
import type door from './de/door.json'
import type ending from './de/ending.json'
import type evening from './de/evening.json'
import type lessons from './de/lessons.json'
import type lobby from './de/lobby.json'
import type mo from './de/mo.json'
import type moGuide from './de/mo-guide.json'
import type moLesson from './de/mo-lesson.json'
import type onu from './de/onu.json'
import type onuGuide from './de/onu-guide.json'
import type page from './de/page.json'
import type people from './de/people.json'
import type quips from './de/quips.json'
import type quipsAside from './de/quips-aside.json'
import type quipsGuide from './de/quips-guide.json'
import type replay from './de/replay.json'
import type rummy from './de/rummy.json'
import type rummyGuide from './de/rummy-guide.json'
import type table from './de/table.json'

export type Message = keyof (typeof admin &
  typeof cambia &
  typeof cambiaGuide &
  typeof door &
  typeof ending &
  typeof evening &
  typeof lessons &
  typeof lobby &
  typeof mo &
  typeof moGuide &
  typeof moLesson &
  typeof onu &
  typeof onuGuide &
  typeof page &
  typeof people &
  typeof quips &
  typeof quipsAside &
  typeof quipsGuide &
  typeof replay &
  typeof rummy &
  typeof rummyGuide &
  typeof table)

type Names<M extends string> = M extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never
/** With forms, `count` decides, even where it is not shown. */
type Needed<M extends string> = Names<M> | (M extends `${string}|${string}` ? 'count' : never)
type Values<M extends string> = [Needed<M>] extends [never]
  ? []
  : [values: Record<Needed<M>, string | number>]
/** A message that needs no values: a label, a title. */
export type Label = { [M in Message]: [Needed<M>] extends [never] ? M : never }[Message]

/** The languages to choose from, each in its own words. */
export const LANGUAGES: Record<string, string> = { en: 'English', de: 'Deutsch' }
/** For tests: accents and longer texts, left to right (en-XA) or right to left (ar-XB). */
const PSEUDO = ['en-XA', 'ar-XB']

const files = import.meta.glob<Record<string, string>>('./*/*.json', { import: 'default' })
const translations = new Map<string, string>()
const loaded = new Set<string>()
/** Files of what the server tells; the keys of others are texts of the page. */
const SENTENCES = ['server', 'refusals']

const wanted = typeof navigator === 'undefined' ? [] : navigator.languages

function chosen(): string {
  const { language } = preferences
  if (language in LANGUAGES || PSEUDO.includes(language)) return language
  return wanted.map((tag) => tag.split('-')[0]!).find((tag) => tag in LANGUAGES) ?? 'en'
}

/** It stays the same until the page is loaded again. */
export const language = chosen()
const pseudo = PSEUDO.includes(language)
// British English has no comma before the last "and".
const rules = pseudo || language === 'en' ? 'en-GB' : language
/** For dates: the visitor's own variety of the language. */
export const region = wanted.find((tag) => tag.split('-')[0] === language) ?? rules
const plurals = new Intl.PluralRules(rules)
/** In this order a message has its forms; English and German have "one" and "other". */
const categories = ['zero', 'one', 'two', 'few', 'many', 'other'].filter((category) =>
  plurals.resolvedOptions().pluralCategories.includes(category as Intl.LDMLPluralRule),
)
const numbers = new Intl.NumberFormat(rules, { useGrouping: false })
const lists = new Intl.ListFormat(rules)

/** Tells the browser which language the page is in, and which way it is read. */
export function markLanguage(root: HTMLElement = document.documentElement): void {
  root.lang = language
  root.dir = language.startsWith('ar') ? 'rtl' : 'ltr'
}

/** Loads these files of messages; English needs none. `page` is loaded before anything is shown. */
export async function loadMessages(...names: string[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      const load = files[`./${language}/${name}.json`]
      if (!load || loaded.has(name)) return
      const texts = await load()
      if (SENTENCES.includes(name)) sentences.add(texts)
      else for (const [message, text] of Object.entries(texts)) translations.set(message, text)
      loaded.add(name)
    }),
  )
}

/** A part of the page and the files of its messages: `withMessages(import('./Me.svelte'), 'people')`.
 *  `messages.test.ts` checks that every message is in a file that is named on the way to it. */
export async function withMessages<T>(part: Promise<T>, ...names: string[]): Promise<T> {
  const [loaded] = await Promise.all([part, loadMessages(...names)])
  return loaded
}

/** Where a game's own translations are, if it brings any. */
interface Told {
  id: string
  brings: string[]
}

/** The games whose refusals may be needed. */
const games = new Map<string, Told>()

/** Loads what the server tells of a game. A file that a game does not bring is part of its table's. */
export async function loadSentences(
  game: Told,
  part: 'hall' | 'table' | 'settings' | 'lessons' | 'refusals',
): Promise<void> {
  const { id, brings } = game
  if (part !== 'hall') games.set(id, game)
  const common = part === 'table' ? loadMessages('server') : undefined
  const own = `messages/${language}-${part}.json`
  const shared = `messages/${language}-table.json`
  const file = part === 'hall' ? `messages/${language}.json` : brings.includes(own) ? own : shared
  const address = `/package/${id}/${file}`
  await common
  if (!brings.includes(file) || loaded.has(address)) return
  try {
    const answer = await fetch(rooted(address))
    if (answer.ok) {
      sentences.add((await answer.json()) as Record<string, string>)
      loaded.add(address)
    }
  } catch {
    // The sentences stay in English.
  }
}

/** Loads how the server refuses; before a refusal is shown. */
export async function loadRefusals(): Promise<void> {
  const own = [...games.values()].map((game) => loadSentences(game, 'refusals'))
  // If that fails, the refusal is shown in English.
  await Promise.all([...own, loadMessages('refusals').catch(() => {})])
}

/**
 * A message in the visitor's language: `t('Table {code}', { code })`. With forms, `count` decides:
 * `t('{count} card|{count} cards', { count })`. A text that means two things says which after ##:
 * `t('Play##replay')`. Not before the page has started, so in functions
 * and components, not in constants of a module.
 */
export function t<M extends Message>(message: M, ...[values]: Values<M>): string {
  return filled(message, values)
}

/** Marks a text in a constant, for `t` to translate when it is shown. */
export const mark = <M extends Label>(message: M): M => message

/** Texts in a list: "a", "a and b", "a, b and c". */
export const listed = (words: Iterable<string>): string => lists.format(words)

/** A text that was marked, or that the server made; as it is where no translation fits. */
export const said = (text: string): string =>
  pseudo ? disguised(plain(text)) : (translations.get(text) ?? sentences.said(plain(text)))

/** Translates the texts of cards within sentences, until the returned function is called. */
export const readContent = (content: (text: string) => string): (() => void) =>
  sentences.read(content)

/** Without the note that tells two meanings apart. */
const plain = (message: string): string => message.split('##')[0]!

const pick = (count: number, forms: readonly string[]): string =>
  (forms.length < 2 ? undefined : forms[categories.indexOf(plurals.select(count))]) ?? forms[0]!

const sentences = new Sentences(pick, listed)

function filled(message: string, values: Record<string, string | number> = {}): string {
  const text = pick(Number(values.count), (translations.get(message) ?? plain(message)).split('|'))
  return (pseudo ? disguised(text) : text).replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    if (value === undefined) return whole
    return typeof value === 'number' ? numbers.format(value) : value
  })
}
