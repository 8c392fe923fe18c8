/** Actions that the viewer of a desk can begin: with the picked things, or by pressing things and
 *  zones. */
import {
  actionsOf,
  advance,
  begin,
  beginnings,
  isPicked,
  next,
  presses,
  targetsOf,
  thingKey,
  uses,
  type Draft,
} from './choose'
import type { SceneDesk } from './desk.svelte'

export class Leads {
  readonly #desk: SceneDesk

  constructor(desk: SceneDesk) {
    this.#desk = desk
  }

  /** By action: the ways in which it uses exactly what was picked. */
  readonly uses: Map<string, Draft[]> = $derived.by(() => this.usesOf(this.#desk.picked))

  usesOf(ids: readonly string[]): Map<string, Draft[]> {
    const { scene } = this.#desk
    if (!scene || !this.#desk.act) return new Map()
    const found = actionsOf(scene.choices ?? []).map(
      (action) => [action, uses(scene, action, ids)] as const,
    )
    return new Map(found.filter(([, drafts]) => drafts.length > 0))
  }

  readonly ways: Draft[] = $derived.by(() => (this.#desk.scene ? beginnings(this.#desk.scene) : []))

  /** The drafts that pressing each thing and zone leads to. */
  readonly #presses: Map<string, Draft[]> = $derived.by(() => {
    const { scene, draft } = this.#desk
    if (!scene || !this.#desk.act) return new Map()
    if (draft) return presses(scene, [draft])
    const begun = actionsOf(scene.choices ?? []).map(begin)
    const filled = this.ways.filter(({ fields }) => Object.keys(fields).length > 0)
    const later = begun.map((each) => advance(scene.choices ?? [], each))
    const open = later.filter((each) => next(scene.choices ?? [], each))
    // A field with one value needs no press, so the next one can be pressed at once.
    const direct = new Map([...presses(scene, open), ...presses(scene, [...begun, ...filled])])
    for (const zone of scene.zones) {
      if (isPicked(scene, zone)) {
        for (const thing of zone.things ?? []) direct.delete(thingKey(thing))
      }
    }
    return new Map([...direct, ...this.dropsOf(this.uses)])
  })

  /** The zones where these are used: named by the action itself, or by its next field. */
  dropsOf(drafts: Map<string, Draft[]>): Map<string, Draft[]> {
    const { scene } = this.#desk
    if (!scene) return new Map()
    const found = presses(scene, [...drafts.values()].flat())
    for (const [action, ways] of drafts) {
      for (const zone of targetsOf(scene, action)) found.set(`zone ${zone}`, ways)
    }
    return new Map([...found].filter(([key]) => key.startsWith('zone ')))
  }

  /** The drafts that pressing a thing or a zone leads to. */
  at(key: string): Draft[] {
    return this.#presses.get(key) ?? []
  }
}
