/** Where the page is: read from the address, so that a reload or a shared link comes back to it. */
import { rooted, unrooted } from './root'

export type Route =
  | { page: 'hall' }
  | { page: 'table'; game: string; code: string; watch: boolean }
  /** A short link without the game's name: the server knows which game is played there. */
  | { page: 'find'; code: string }
  | { page: 'play'; game: string }
  /** Without a lesson's name, the game's first. */
  | { page: 'learn'; game: string; lesson: string }
  /** A table on a screen for the whole room: nobody plays there. */
  | { page: 'screen'; game: string; code: string }
  /** The table of a channel with nothing around it, for streaming software. */
  | { page: 'overlay'; game: string; channel: string }
  /** A finished match. */
  | { page: 'replay'; id: string }
  /** This visitor’s matches and account. */
  | { page: 'me' }
  | { page: 'player'; name: string }
  | { page: 'ratings'; game: string }
  /** For the operator of this server. */
  | { page: 'admin' }
  /** Friends who play one game after another. */
  | { page: 'evening'; code: string }
  | { page: 'nowhere' }

/** A part of an address that somebody mistyped stays as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export function parseRoute(path: string, search = ''): Route {
  const parts = unrooted(path).split('/').filter(Boolean).map(decoded)
  const [first, second, third] = parts
  if (parts.length === 0) return { page: 'hall' }
  if (first === 'table' && parts.length === 3 && second && third) {
    return {
      page: 'table',
      game: second,
      code: third,
      watch: new URLSearchParams(search).has('watch'),
    }
  }
  if (first === 'table' && parts.length === 2 && second) return { page: 'find', code: second }
  if (parts.length === 3 && first && second && third === 'screen') {
    return { page: 'screen', game: first, code: second }
  }
  if (parts.length === 3 && first && second && third === 'overlay') {
    return { page: 'overlay', game: first, channel: second }
  }
  if (first === 'replay' && parts.length === 2 && second) return { page: 'replay', id: second }
  if (first === 'play' && parts.length === 2 && second) return { page: 'play', game: second }
  if (first === 'learn' && (parts.length === 2 || parts.length === 3) && second) {
    return { page: 'learn', game: second, lesson: third ?? '' }
  }
  if (first === 'evening' && parts.length === 2 && second) return { page: 'evening', code: second }
  if (first === 'me' && parts.length === 1) return { page: 'me' }
  if (first === 'player' && parts.length === 2 && second) return { page: 'player', name: second }
  if (first === 'ratings' && parts.length === 2 && second) return { page: 'ratings', game: second }
  if (first === 'admin' && parts.length === 1) return { page: 'admin' }
  return { page: 'nowhere' }
}

export function tablePath(game: string, code: string, watch = false): string {
  return rooted(`/table/${game}/${code}${watch ? '?watch' : ''}`)
}

export const learnPath = (game: string, lesson: string): string =>
  rooted(`/learn/${game}/${lesson}`)

export const screenPath = (game: string, code: string): string => rooted(`/${game}/${code}/screen`)

export const replayPath = (id: string): string => rooted(`/replay/${encodeURIComponent(id)}`)

export const eveningPath = (code: string): string => rooted(`/evening/${code}`)

export const mePath = (): string => rooted('/me')

export const playerPath = (name: string): string => rooted(`/player/${encodeURIComponent(name)}`)

export const leaderboardPath = (game: string): string =>
  rooted(`/ratings/${encodeURIComponent(game)}`)

export const overlayPath = (game: string, channel: string): string =>
  `/${game}/${encodeURIComponent(channel)}/overlay`

class Router {
  route: Route = $state.raw({ page: 'hall' })
  #eager = ''
  /** Asks the visitor before the page is left for a path. */
  #guard: ((path: string) => void) | null = null
  /** Where the page is, as the address said when it was read last. */
  #here = '/'

  constructor() {
    if (typeof window === 'undefined') return
    this.#read()
    window.addEventListener('popstate', () => {
      const target = location.pathname + location.search
      if (!this.#guard || target === this.#here) return this.#read()
      // The browser has gone already: go back to where the visitor still is, and ask.
      history.pushState(null, '', this.#here)
      this.#guard(target)
    })
  }

  /** `eager`: the code of a table where the visitor wants to play at once. */
  go(path: string, { replace = false, eager = '', unguarded = false } = {}): void {
    if (this.#guard && !unguarded) return this.#guard(path)
    this.#eager = eager
    history[replace ? 'replaceState' : 'pushState'](null, '', rooted(path))
    this.#read()
  }

  /** Writes what is looked at on this page into the address, for a reload or a link. */
  keep(search: string): void {
    history.replaceState(null, '', location.pathname + search)
    this.#here = location.pathname + search
  }

  /** Calls `ask` instead of leaving the page, until the returned function is called. */
  guard(ask: (path: string) => void): () => void {
    this.#guard = ask
    return () => {
      if (this.#guard === ask) this.#guard = null
    }
  }

  /** Whether this table was opened to play at once; after a reload it no longer is. */
  eager(code: string): boolean {
    return code !== '' && this.#eager === code
  }

  /** Lets ordinary links move inside the page; give it to the shell's click. */
  follow = (event: MouseEvent): void => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = (event.target as Element | null)?.closest('a')
    if (!link || link.target || link.hasAttribute('download')) return
    if (link.origin !== location.origin || link.hash) return
    if (parseRoute(link.pathname).page === 'nowhere') return
    event.preventDefault()
    this.go(link.pathname + link.search)
  }

  #read(): void {
    this.#here = location.pathname + location.search
    this.route = parseRoute(location.pathname, location.search)
  }
}

export const router = new Router()
