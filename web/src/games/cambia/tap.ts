/** What a tap on a card means: to choose it, or to lift it so that a second tap snaps it. */
import type { Thing, Zone } from '../../protocol/extras'
import { thingKey } from '../../scenes/choose'
import type { SceneDesk } from '../../scenes/desk.svelte'

export function tap(desk: SceneDesk, zone: Zone, thing: Thing): void {
  if (desk.askedFor(thingKey(thing))) desk.press(zone, thing)
  else if (!desk.canUse('snap', thing)) return
  else if (desk.picked.includes(thing.id)) desk.start('snap')
  else desk.pick([thing.id])
}
