/** Who is visiting, and which games this server has: asked once, shared by all pages. */
import { api, type GameInfo, type Me } from './api'
import { loadSentences } from './messages'
import { root, unrooted } from './root'

class Visitor {
  me: Me | null = $state.raw(null)
  games: GameInfo[] | null = $state.raw(null)
  /** Codes of tables sat down at since the page was opened, for the way back from the hall. */
  readonly tables = new Set<string>()

  /** What links for others begin with. */
  #link: string = $state(typeof location === 'undefined' ? '' : location.origin + root)

  /** A path of the house as a link that others can open. */
  linkTo(path: string): string {
    return this.#link + unrooted(path)
  }

  /** The first answer also sets the session's cookie, which every socket relies on. */
  async load(): Promise<void> {
    const [me, games, link] = await Promise.all([
      api.me(),
      api.games(),
      // Without an answer links begin with the page’s own address.
      api.connection().then(
        ({ link }) => link,
        () => null,
      ),
    ])
    await Promise.all(games.map((game) => loadSentences(game, 'hall')))
    this.me = me
    this.games = games
    if (link) this.#link = link
  }

  async rename(name: string): Promise<void> {
    this.me = await api.rename(name)
  }

  game(id: string): GameInfo | undefined {
    return this.games?.find((game) => game.id === id)
  }
}

export const visitor = new Visitor()
