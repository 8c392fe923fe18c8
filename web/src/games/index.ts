/** The games this page can play, by their id. A new one is its folder and its line here. */
import { visitor } from '../lib/visitor.svelte'
import { cambia } from './cambia'
import { described } from './described'
import type { GameModule } from './game'
import { mo } from './mo'
import { onu } from './onu'
import { quips } from './quips'
import { rummy } from './rummy'

const games: Record<string, GameModule> = {
  rummy,
  cambia,
  mo,
  quips,
  onu,
}

/** What a game brings to this page; `undefined`: only programs play it. */
export function moduleOf(id: string): GameModule | undefined {
  const game = visitor.game(id)
  const isDrawn = game?.scenes && game.sockets.includes(`/plain/${id}`)
  return games[id] ?? (isDrawn ? described(game) : undefined)
}
