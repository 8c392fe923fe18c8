/** Who is visiting, and which games this server has: asked once, shared by all pages. */
import { api, type GameInfo, type Me } from './api'

class Visitor {
  me: Me | null = $state.raw(null)
  games: GameInfo[] | null = $state.raw(null)
  /** Codes of tables sat down at since the page was opened, for the way back from the hall. */
  readonly tables = new Set<string>()

  /** The first answer also sets the session's cookie, which every socket relies on. */
  async load(): Promise<void> {
    const [me, games] = await Promise.all([api.me(), api.games()])
    this.me = me
    this.games = games
  }

  async rename(name: string): Promise<void> {
    this.me = await api.rename(name)
  }

  game(id: string): GameInfo | undefined {
    return this.games?.find((game) => game.id === id)
  }
}

export const visitor = new Visitor()
