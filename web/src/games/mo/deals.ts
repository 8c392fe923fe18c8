/** Which cards are dealt: everybody's deal of the day, and links to a deal. */
import type { BoardMessage, Profile } from '../../protocol/mo'

export interface Deal {
  seed?: string
  profile?: Profile
}

/** The same cards for everybody in the world: the day is UTC's, and the rules are the usual ones. */
export const daily = (now: Date): Required<Deal> => ({
  seed: `daily-${now.toISOString().slice(0, 10)}`,
  profile: 'classic',
})

/** What the server takes as a seed. */
export const isSeed = (text: string): boolean => /^[A-Za-z0-9-]{1,32}$/.test(text)

export function linkTo({ seed, profile }: Pick<BoardMessage, 'seed' | 'profile'>): string {
  return `/play/mo?${new URLSearchParams({ seed, profile })}`
}

/** The deal a link asks for, or null. */
export function linked(search: string): Deal | null {
  const query = new URLSearchParams(search)
  const seed = query.get('seed')
  const profile = query.get('profile')
  const deal: Deal = {}
  if (seed) deal.seed = seed
  if (profile === 'classic' || profile === 'printed') deal.profile = profile
  return deal.seed || deal.profile ? deal : null
}

/** Whether this deal lies there already. */
export const isDealt = (deal: Deal, board: Pick<BoardMessage, 'seed' | 'profile'>): boolean =>
  (deal.seed === undefined || deal.seed === board.seed) &&
  (deal.profile === undefined || deal.profile === board.profile)

/** Whether nothing was played since the deal, nor taken back. */
export const isFresh = (board: BoardMessage): boolean =>
  board.moves === 0 && !board.can_undo && !board.can_redo
