/** The tables that were opened in this browser: whoever opened one may run it. */
import { readStored, store } from './storage'

const KEY = 'parlour.opened'
const MOST = 50

function codes(): string[] {
  const found = readStored(KEY)
  return Array.isArray(found) ? found.filter((code) => typeof code === 'string') : []
}

export const openedHere = (code: string): boolean => codes().includes(code)

export function keepOpened(code: string): void {
  store(KEY, [...codes().filter((other) => other !== code), code].slice(-MOST))
}
