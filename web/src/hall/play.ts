/** A game against bots, at once. */
import { moduleOf } from '../games'
import { api, type GameInfo } from '../lib/api'
import { botChoice } from '../lib/bots.svelte'
import { router, tablePath } from '../lib/router.svelte'
import { toasts } from '../lib/toasts.svelte'
import { rememberGame } from './last-game'

/** Opens a table with bots and goes there. */
export async function playNow(game: GameInfo): Promise<void> {
  rememberGame(game.id)
  if (moduleOf(game.id)?.solo) return router.go(`/play/${game.id}`)
  try {
    const quick = moduleOf(game.id)?.quick
    const bots = quick?.bots ?? Math.max(1, Math.min(2, game.seats.max - 1))
    const settings = quick?.settings ?? {}
    const strength = botChoice.of(game.strengths)
    const { code } = await api.open({ game: game.id, settings, public: false, bots, strength })
    router.go(tablePath(game.id, code), { eager: code })
  } catch (error) {
    toasts.error(error)
  }
}
