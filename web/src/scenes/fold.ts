/** The scene that the messages about it add up to (docs/protocols/extras.md). */
import type { ChangeExtras, NoScene, Scene, SceneExtras } from '../protocol/extras'

export type SceneMessage = SceneExtras | ChangeExtras | NoScene

/** What is drawn of a match; without a scene, why there is none. */
export interface Drawn {
  scene: Scene | null
  trouble: string
}

export const NOTHING_DRAWN: Drawn = { scene: null, trouble: '' }

export function withScene(drawn: Drawn, message: SceneMessage): Drawn {
  switch (message.type) {
    case 'extras_scene':
      return { scene: message.scene, trouble: '' }
    case 'extras_change':
      return { ...drawn, scene: drawn.scene && changed(drawn.scene, message) }
    case 'extras_no_scene':
      return { scene: null, trouble: message.message }
  }
}

/** A scene with what has changed in it. Zones that are not listed stay as they were. */
export function changed(
  scene: Scene,
  { fields, zones = [], order = [] }: Pick<ChangeExtras, 'fields' | 'zones' | 'order'>,
): Scene {
  const next = { ...scene, ...fields }
  if (order.length === 0) return next
  const known = new Map([...scene.zones, ...zones].map((zone) => [zone.id, zone]))
  return { ...next, zones: order.flatMap((id) => known.get(id) ?? []) }
}
