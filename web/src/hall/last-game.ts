/** The game that was played last in this browser: the hall offers it first. */
import { readStored, store } from '../lib/storage'

const KEY = 'parlour.game'

export function lastGame(): string {
  const kept = readStored(KEY)
  return typeof kept === 'string' ? kept : ''
}

export const rememberGame = (game: string): void => store(KEY, game)
