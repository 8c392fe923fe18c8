/** The games this page can play, by their id. A new one is its folder and its line here. */
import type { GameModule } from './game'
import { rummy } from './rummy'

export const games: Record<string, GameModule> = {
  rummy,
}
