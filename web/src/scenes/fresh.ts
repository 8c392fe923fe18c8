/** Which of a viewer's own things are new. */
import type { Scene } from '../protocol/extras'

/** Things are new from when they came until the viewer's turn is over. A deal is not news. */
export function stillFresh(
  fresh: ReadonlySet<string>,
  before: Scene | null,
  after: Scene | null,
): Set<string> {
  const had = ownThings(before)
  const own = ownThings(after)
  const waited = (scene: Scene | null): boolean =>
    scene?.viewer != null && (scene.awaits ?? []).includes(scene.viewer)
  const over = waited(before) && !waited(after)
  const kept = over ? [] : [...fresh].filter((id) => own.has(id))
  const came = had.size === 0 ? [] : [...own].filter((id) => !had.has(id))
  return new Set([...kept, ...(came.length > had.size ? [] : came)])
}

/** The ids of the viewer's own things. */
export function ownThings(scene: Scene | null): Set<string> {
  const zones = (scene?.zones ?? []).filter(({ seat }) => seat === scene?.viewer)
  return new Set(zones.flatMap(({ things = [] }) => things.map(({ id }) => id)))
}
