/** Carrying things with the pointer: which of them can be carried, and where they can be dropped. */
import type { Thing, Zone } from '../protocol/extras'
import { thingKey, zoneKey, zoneOf } from './choose'
import type { SceneDesk } from './desk.svelte'

export class Carrying {
  /** The ids of what is being carried, so that its places light up. */
  ids: string[] = $state.raw([])
  readonly #desk: SceneDesk

  constructor(desk: SceneDesk) {
    this.#desk = desk
  }

  /** Whether a thing can be carried: to where it is used, where pressing it does something, or to
   *  sort it. */
  can(zone: Zone, thing: Thing): boolean {
    const { act, leads } = this.#desk
    if (!act) return false
    const does = this.#desk.picks(zone) || this.#desk.canPress(thingKey(thing))
    return does || !!zone.sortable || leads.dropsOf(leads.usesOf([thing.id])).size > 0
  }

  /** Whether the zone would take what is carried. */
  accepts(drop: string): boolean {
    return this.#drop(drop) !== null
  }

  /** Lets go of what is carried over a zone. */
  drop(drop: string): void {
    this.#drop(drop)?.()
  }

  #drop(drop: string): (() => void) | null {
    const { scene, leads } = this.#desk
    const [id] = this.ids
    const source = scene && id !== undefined ? zoneOf(scene, id) : undefined
    const target = scene?.zones.find((zone) => zone.id === drop)
    if (!source || !target) return null
    const [draft] = leads.dropsOf(leads.usesOf(this.ids)).get(zoneKey(target)) ?? []
    if (draft) return () => this.#desk.go(draft)
    // Taking something: drawing a card by carrying it to the hand.
    const thing = source.things?.find((one) => one.id === id)
    const mine = target.seat === scene?.viewer && source.seat !== scene?.viewer
    return thing && mine && this.#desk.canPress(thingKey(thing))
      ? () => this.#desk.press(source, thing)
      : null
  }
}
