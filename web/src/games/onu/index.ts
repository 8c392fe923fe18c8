import type { GameModule } from '../game'
import Emblem from './Emblem.svelte'
import { words } from './settings'

export const onu: GameModule = {
  solo: false,
  emblem: Emblem,
  words,
  guide: async () => (await import('./guide')).guide,
  load: () => import('./Table.svelte'),
  loadOverlay: () => import('./Overlay.svelte'),
}
