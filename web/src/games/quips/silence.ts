/**
 * Whom this visitor does not want to hear: told to nobody, and kept in this browser.
 *
 * A message in the chat has a name and no id. So mutes are kept by name, and follow a player who
 * takes another one.
 */
import { readStored, store } from '../../lib/storage'
import type { PlayerInfo } from './messages'

export interface Silence {
  /** Not heard at this table. */
  muted: readonly string[]
  /** Not heard at any table. */
  blocked: readonly string[]
}

const KEY = 'parlour.quips.blocked'
const MOST_BLOCKED = 200

export const hears = ({ muted, blocked }: Silence, name: string): boolean =>
  !muted.includes(name) && !blocked.includes(name)

export const toggled = (names: readonly string[], name: string): string[] =>
  names.includes(name) ? names.filter((other) => other !== name) : [...names, name]

/** A muted player who takes a new name stays muted. */
export function afterRenames(
  silence: Silence,
  before: readonly PlayerInfo[],
  after: readonly PlayerInfo[],
): Silence {
  const renamed = (names: readonly string[]): readonly string[] => {
    const more = after.flatMap(({ id, name }) => {
      const former = before.find((player) => player.id === id)?.name
      return former !== undefined &&
        former !== name &&
        names.includes(former) &&
        !names.includes(name)
        ? [name]
        : []
    })
    return more.length > 0 ? [...names, ...more] : names
  }
  const muted = renamed(silence.muted)
  const blocked = renamed(silence.blocked)
  return muted === silence.muted && blocked === silence.blocked ? silence : { muted, blocked }
}

export function readBlocked(): string[] {
  const found = readStored(KEY)
  return Array.isArray(found) ? found.filter((name) => typeof name === 'string') : []
}

export const keepBlocked = (names: readonly string[]): void =>
  store(KEY, names.slice(-MOST_BLOCKED))
