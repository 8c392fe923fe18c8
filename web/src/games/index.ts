/** The games this page can play, by their id. A new one is its folder and its line here. */
import { cambia } from './cambia'
import type { GameModule } from './game'
import { mo } from './mo'
import { onu } from './onu'
import { quips } from './quips'
import { rummy } from './rummy'

export const games: Record<string, GameModule> = {
  rummy,
  cambia,
  mo,
  quips,
  onu,
}
