/** What this browser keeps of Quips tables: the tokens that prove who the visitor is, and passwords. */
import { readStored, store } from '../../lib/storage'

const TOKENS = 'parlour.quips.tokens'
const PASSWORDS = 'parlour.quips.passwords'
const LANGUAGE = 'parlour.quips.language'
/** Tables are left behind without a word; only the last ones are worth coming back to. */
const MOST = 12

type Entries = [code: string, value: string][]

function entries(key: string): Entries {
  const found = readStored(key)
  if (!Array.isArray(found)) return []
  return (found as unknown[]).filter(
    (entry): entry is Entries[number] =>
      Array.isArray(entry) && entry.length === 2 && entry.every((part) => typeof part === 'string'),
  )
}

function keep(key: string, code: string, value: string): void {
  const rest = entries(key).filter(([other]) => other !== code)
  store(key, [...rest, [code, value]].slice(-MOST))
}

const find = (key: string, code: string): string =>
  entries(key).find(([other]) => other === code)?.[1] ?? ''

export const tokenFor = (code: string): string => find(TOKENS, code)
export const keepToken = (code: string, token: string): void => keep(TOKENS, code, token)
export const passwordFor = (code: string): string => find(PASSWORDS, code)
export const keepPassword = (code: string, password: string): void =>
  keep(PASSWORDS, code, password)

/** The language one reads cards in: as chosen, or else the browser's. */
export function storedLanguage(): string {
  const found = readStored(LANGUAGE)
  if (typeof found === 'string' && found !== '') return found
  return typeof navigator === 'undefined' ? 'en' : navigator.language
}

export const keepLanguage = (language: string): void => store(LANGUAGE, language)
