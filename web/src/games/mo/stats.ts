/** Games played in this browser: kept here, told to nobody. */
import { t } from '../../lib/messages'
import { readStored, store } from '../../lib/storage'
import type { BoardMessage, Profile } from '../../protocol/mo'

export interface Played {
  seed: string
  profile: Profile
  won: boolean
  moves: number
  /** The deal still lies there: an undo may turn a loss into a win. */
  open: boolean
  /** With hints. */
  helped?: boolean
}

export interface Summary {
  played: number
  won: number
  /** Of those, with hints. */
  helped: number
  streak: number
  longest: number
  /** Fewest moves of a win. */
  best: number | null
  bars: Bar[]
}

/** Wins that took `from` to `to` moves. */
export interface Bar {
  from: number
  to: number
  wins: number
}

const KEY = 'parlour.mo'
const HELPED = 'parlour.mo.helped'
const KEPT = 1000
const MOST_BARS = 8

/** The games kept here; `otherwise` where nothing can be kept. */
export function remembered(otherwise: Played[] = []): Played[] {
  const found = readStored(KEY, 'local', otherwise)
  return Array.isArray(found) ? (found as Played[]) : []
}

export function remember(games: Played[]): void {
  store(KEY, games.slice(-KEPT))
}

const nameOf = ({ seed, profile }: Pick<Played, 'seed' | 'profile'>): string => `${profile} ${seed}`

/** From now on this deal is played with help. It stays so over a reload, and in other tabs. */
export function help(deal: Pick<Played, 'seed' | 'profile'>): void {
  store(HELPED, nameOf(deal))
}

/** Whether a hint was shown in this deal, of those played last. */
export const isHelped = (deal: Pick<Played, 'seed' | 'profile'>): boolean =>
  readStored(HELPED) === nameOf(deal)

/**
 * The games with this board's end written down. The same deal counts once, however often it
 * is taken back and ended again, and what was won stays won.
 */
export function ending(games: Played[], board: BoardMessage, helped = false): Played[] {
  if (board.status === 'playing') return games
  const last = games.at(-1)
  const won = board.status === 'won'
  const entry: Played = {
    seed: board.seed,
    profile: board.profile,
    won,
    moves: board.moves,
    open: true,
    ...(helped && { helped }),
  }
  if (!last?.open || last.seed !== board.seed || last.profile !== board.profile) {
    return [...closed(games), entry]
  }
  // A win of one's own is not bettered by one with hints.
  const bettered = won && last.moves > board.moves && (last.helped || !helped)
  if (last.won && !bettered) return games
  return [...games.slice(0, -1), entry]
}

/** The games when another is dealt over this board; one left half-way counts, and not as won. */
export function leaving(games: Played[], board: BoardMessage | null): Played[] {
  const last = games.at(-1)
  const counted = last?.open && board && last.seed === board.seed && last.profile === board.profile
  if (!board || counted || board.status !== 'playing' || board.moves === 0) return closed(games)
  const { seed, profile, moves } = board
  return [...closed(games), { seed, profile, won: false, moves, open: false }]
}

const closed = (games: Played[]): Played[] =>
  games.at(-1)?.open ? [...games.slice(0, -1), { ...games.at(-1)!, open: false }] : games

export function summary(games: Played[]): Summary {
  let streak = 0
  let longest = 0
  for (const game of games) {
    streak = game.won ? streak + 1 : 0
    longest = Math.max(longest, streak)
  }
  const moves = games.filter((game) => game.won).map((game) => game.moves)
  return {
    played: games.length,
    won: moves.length,
    helped: games.filter((game) => game.won && game.helped).length,
    streak,
    longest,
    best: moves.length ? Math.min(...moves) : null,
    bars: barsOf(moves),
  }
}

/** At most eight bars of equal width, 5 moves or a multiple of it, without a gap between them. */
export function barsOf(moves: number[]): Bar[] {
  if (moves.length === 0) return []
  const least = Math.min(...moves)
  const most = Math.max(...moves)
  let width = 5
  const first = (): number => Math.floor(least / width) * width
  while ((most - first() + 1) / width > MOST_BARS) width += 5
  const bars: Bar[] = []
  for (let from = first(); from <= most; from += width) {
    const to = from + width - 1
    bars.push({ from, to, wins: moves.filter((count) => count >= from && count <= to).length })
  }
  return bars
}

/** The histogram read aloud. */
export function inWords(bars: Bar[]): string {
  return bars
    .filter((bar) => bar.wins > 0)
    .map(({ from, to, wins }) =>
      t('{from} to {to} moves: {count} win|{from} to {to} moves: {count} wins', {
        from,
        to,
        count: wins,
      }),
    )
    .join('; ')
}
