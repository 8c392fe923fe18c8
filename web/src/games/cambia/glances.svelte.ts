/** Cards that were shown for a moment stay up long enough to be looked at. */
import type { Timer } from '../../lib/clock.svelte'
import type { Scene } from '../../protocol/extras'

/** How long a card is seen at least, and how long after it was turned down. */
const GLANCE = 4500
const PARTING_GLANCE = 1300

interface Glance {
  face: string
  timer: Timer
}

interface Lying {
  face: string | undefined
  /** Where it lies. A card that is moved is forgotten. */
  place: string
}

export class Glances {
  /** By the id of the card. */
  shown: Record<string, Glance> = $state.raw({})
  #before = new Map<string, Lying>()
  /** Somebody was waited for before. */
  #playing = false
  #since = new Map<string, number>()
  #timers = new Map<string, ReturnType<typeof setTimeout>>()

  /** Another scene is shown. The cards that all look at before the first turn are turned down in
   *  time. */
  see(scene: Scene | null): void {
    const now = Date.now()
    const playing = this.#playing
    this.#playing = (scene?.awaits ?? []).length > 0
    const lying = inHands(scene)
    for (const [id, { face }] of lying) {
      if (face && !this.#before.get(id)?.face) this.#since.set(id, now)
    }
    for (const [id, { place, face }] of this.#before) {
      const after = lying.get(id)
      if (after?.place !== place || after.face) this.#end(id)
      else if (face && playing) this.#keep(id, face, now)
    }
    this.#before = lying
  }

  stop(): void {
    for (const id of [...this.#timers.keys()]) this.#end(id)
  }

  #keep(id: string, face: string, now: number): void {
    const wait = Math.max(PARTING_GLANCE, (this.#since.get(id) ?? now) + GLANCE - now)
    this.shown = { ...this.shown, [id]: { face, timer: { until: now + wait, total: wait } } }
    this.#timers.set(
      id,
      setTimeout(() => this.#end(id), wait),
    )
  }

  #end(id: string): void {
    clearTimeout(this.#timers.get(id))
    if (!this.#timers.delete(id)) return
    const { [id]: _gone, ...others } = this.shown
    this.shown = others
  }
}

function inHands(scene: Scene | null): Map<string, Lying> {
  const hands = (scene?.zones ?? []).filter(({ id }) => id.startsWith('hand '))
  return new Map(
    hands.flatMap(({ id: zone, things = [] }) =>
      things.map(({ id, face }, at) => [id, { face: face ?? undefined, place: `${zone} ${at}` }]),
    ),
  )
}
