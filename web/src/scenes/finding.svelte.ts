/** Finding things of the viewer that can be used together. */
import { t } from '../lib/messages'
import { toasts } from '../lib/toasts.svelte'
import { finds, hasSeveralUses } from './choose'
import type { SceneDesk } from './desk.svelte'
import { notNow } from './whynot'

export class Finding {
  readonly #desk: SceneDesk

  constructor(desk: SceneDesk) {
    this.#desk = desk
  }

  /** Whether things can be used in several ways, so that looking for some is worth a button. */
  readonly possible: boolean = $derived.by(() => {
    const { scene, act } = this.#desk
    return !!scene && !!act && scene.zones.some((zone) => hasSeveralUses(scene, zone))
  })

  /** Things that can be used alone, where lists are needed: a card that fits a meld. */
  readonly singles: Set<string> = $derived.by(
    () => new Set(this.#sets.filter(({ length }) => length === 1).flat()),
  )
  readonly #sets: string[][] = $derived.by(() => {
    const { scene, act } = this.#desk
    return scene && act ? finds(scene) : []
  })

  /** Picks things that can be used together, others each time. */
  another(): void {
    const found = this.#sets
    const same = (ids: string[]): boolean =>
      ids.length === this.#desk.picked.length && ids.every((id) => this.#desk.picked.includes(id))
    const set = found[(found.findIndex(same) + 1) % Math.max(1, found.length)]
    if (set) this.#desk.picked = set
    else toasts.note(this.#desk.mine ? t('There is nothing to be found now.') : notNow(this.#desk))
  }
}
