import type { GameModule } from '../game'
import Emblem from './Emblem.svelte'
import { words } from './settings'

export const onu: GameModule = {
  solo: false,
  emblem: Emblem,
  words,
  // No window of a character has to keep up: nobody waits longer than it takes to look.
  quick: { bots: 2, settings: { pace: 0.25 } },
  guide: async () => (await import('./guide')).guide,
  load: () => import('./Table.svelte'),
  loadOverlay: () => import('./Overlay.svelte'),
}
