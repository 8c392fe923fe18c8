/** The order in which a viewer's own things lie: by the deck's orders, or by hand. */
import { said, t } from '../lib/messages'
import { announcer } from '../lib/announcer.svelte'
import { fly, returnHeldCards } from '../lib/flight'
import type { Thing, Zone } from '../protocol/extras'
import { arranged, keepOrder, keptOrder, moved, type Arrangement } from './decks'
import type { SceneDesk } from './desk.svelte'

export class Arranging {
  readonly #desk: SceneDesk
  #arrangements: Record<string, Arrangement> = $state.raw({})

  constructor(desk: SceneDesk) {
    this.#desk = desk
  }

  /** The things of a zone in the viewer's order. */
  arranged(zone: Zone, things: Thing[]): Thing[] {
    return zone.sortable
      ? arranged(things, this.#desk.deckOf(zone), this.#arrangement(zone))
      : things
  }

  #arrangement(zone: Zone): Arrangement {
    const deck = zone.deck ?? 'french'
    return (
      this.#arrangements[zone.id] ?? { order: keptOrder(deck, this.#desk.deckOf(zone)), own: [] }
    )
  }

  /** The zone that the viewer can sort. */
  readonly sortable: Zone | undefined = $derived.by(() =>
    this.#desk.scene?.zones.find(
      (zone) => zone.sortable && Object.keys(this.#desk.deckOf(zone).orders).length > 0,
    ),
  )

  /** The order in which it would be sorted next. */
  readonly nextOrder: string = $derived.by(() => {
    if (!this.sortable) return ''
    const orders = Object.keys(this.#desk.deckOf(this.sortable).orders)
    const now = orders.indexOf(this.#arrangement(this.sortable).order)
    return orders[(now + 1) % orders.length] ?? ''
  })

  sort(): void {
    const zone = this.sortable
    if (!zone) return
    const order = this.nextOrder
    keepOrder(zone.deck ?? 'french', order)
    this.#arrange(zone, { order, own: [] })
    announcer.say(
      t('{zone}, sorted by {order}.', { zone: this.#desk.text(zone.label), order: said(order) }),
    )
  }

  /** Puts things of a zone before the one that is shown at `index`. */
  place(zone: Zone, ids: readonly string[], index: number): void {
    const shown = this.#desk.shown(zone).map(({ id }) => id)
    this.#arrange(zone, { order: '', own: moved(shown, ids, index) })
  }

  #arrange(zone: Zone, arrangement: Arrangement): void {
    const change = (): void => {
      this.#arrangements = { ...this.#arrangements, [zone.id]: arrangement }
    }
    fly(this.#desk.root, change, { duration: 220 })
    // A card that was dropped in its own zone stays there: the server is not asked.
    returnHeldCards()
  }
}
