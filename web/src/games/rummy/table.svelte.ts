/** One visitor's side of a rummy table: what they hold, choose and do. */
import { announcer } from '../../lib/announcer.svelte'
import { api, type TableInfo } from '../../lib/api'
import { fly, returnHeldCards, type FlightOptions } from '../../lib/flight'
import { LiveTable, type News, type ServerError } from '../../lib/live-table.svelte'
import { toasts } from '../../lib/toasts.svelte'
import { visitor } from '../../lib/visitor.svelte'
import { Event, type Action, type Face, type Settings } from '../../protocol/rummy'
import type { TableProps } from '../game'
import { isMeld, meldsIn, roomFor } from './hints'
import { arranged, keepOrder, keptOrder, moved, type Arrangement } from './order'
import { reasons, type Reasons } from './reasons'
import { NO_SCORES } from './scores'
import { emptyTable, fold, isMine, leaveRound, topOf, type TableState } from './state'
import { aloud, inSigns, told } from './words'

export type Source = 'deck' | 'discard'

/** A greeting is the lobby; or, in a round, `start`, the moves that lead here, and whose turn it is. */
export const endsGreeting = ({ type }: Event): boolean => type === 'lobby' || type === 'turn'

export class RummyTable extends LiveTable<TableState, Event, Action> {
  /** Cards of the hand picked out, in the order they were picked. */
  selected: string[] = $state.raw([])
  arrangement: Arrangement = $state.raw({ order: keptOrder(), own: [] })
  /** What is being carried with the pointer, so that its places light up. */
  carrying: Source | 'hand' | null = $state(null)
  /** What the HTTP API says of this table: settings as they were chosen. */
  info: TableInfo | null = $state.raw(null)

  readonly mine = $derived(isMine(this.state))
  readonly scores = $derived(this.extras?.scores ?? NO_SCORES)
  readonly toDraw = $derived(this.mine && this.state.turn?.step === 'draw')
  readonly toPlay = $derived(this.mine && this.state.turn?.step === 'play')
  readonly hand: string[] = $derived(this.state.me ? (this.state.hands[this.state.me] ?? []) : [])
  readonly picked: Face[] = $derived(this.#faces(this.selected))
  /** The hand in the order it is shown in. */
  readonly shown: string[] = $derived(
    arranged(
      this.hand,
      this.arrangement,
      this.state.faces,
      this.state.settings ?? { ace_rank: 'low' },
    ),
  )
  /** Hints only: the server decides. */
  readonly meldable = $derived(
    this.toPlay && this.state.settings !== null && isMeld(this.picked, this.state.settings),
  )
  readonly layable: number[] = $derived(this.toPlay ? this.#roomFor(this.selected) : [])
  /** Cards of the hand that would fit a meld, each by itself. */
  readonly fitting: Set<string> = $derived(
    new Set(this.toPlay ? this.hand.filter((id) => this.#roomFor([id]).length > 0) : []),
  )
  /** Why something can't be done now. */
  readonly why: Reasons = $derived(
    reasons(this.state, { cards: this.selected, layable: this.layable }),
  )
  readonly discardable = $derived(this.why.discard === '')

  /** Start as soon as two sit here. */
  #eager: boolean
  /** The name asked for at this table. */
  #wantedName: string | null = null

  constructor({ code, watch, eager }: Pick<TableProps, 'code' | 'watch' | 'eager'>) {
    super({
      code,
      watch,
      path: `/rummy?${watch ? 'watch' : 'table'}=${encodeURIComponent(code)}`,
      empty: emptyTable,
      shape: Event,
    })
    this.#eager = eager
  }

  // What the visitor does

  draw(pile: Source): void {
    const card = topOf(this.state[pile])
    if (card !== undefined && this.toDraw) this.act({ type: 'draw', card_id: card })
  }

  meld(): void {
    if (this.toPlay && this.selected.length > 0) this.act({ type: 'meld', card_ids: this.selected })
  }

  lay(meld_number: number): void {
    const [card_id, ...more] = this.selected
    if (!this.toPlay || card_id === undefined) return
    this.act(
      more.length === 0
        ? { type: 'lay', card_id, meld_number }
        : { type: 'lay', card_ids: this.selected, meld_number },
    )
  }

  discard(): void {
    const [card_id] = this.selected
    if (this.toPlay && this.selected.length === 1 && card_id) this.act({ type: 'discard', card_id })
  }

  toggle(card: string): void {
    this.selected = this.selected.includes(card)
      ? this.selected.filter((id) => id !== card)
      : [...this.selected, card]
  }

  pick(cards: string[]): void {
    this.selected = cards
  }

  /** Picks out a meld of the hand or a card that fits one on the table, the next each time. */
  suggest(): void {
    if (!this.state.settings) return
    const hand = this.hand
    const melds = meldsIn(this.#faces(hand), this.state.settings).map((meld) =>
      meld.map((at) => hand[at]!),
    )
    const found = [...melds, ...[...this.fitting].map((id) => [id])]
    const same = (cards: string[]): boolean =>
      cards.length === this.selected.length && cards.every((id) => this.selected.includes(id))
    const next = found[(found.findIndex(same) + 1) % Math.max(1, found.length)]
    if (next) this.selected = next
    if (melds.length > 0) return
    const fits = this.#faces(next ?? [])
      .map(aloud)
      .join()
    const none = this.toPlay ? ', and no card that fits one on the table.' : ' yet.'
    toasts.note(
      `There is no meld in your hand${fits ? `, but the ${fits} fits one on the table.` : none}`,
    )
  }

  /** Sorts the hand by rank; or, where it is sorted so, by suit. */
  sort(): void {
    const order = this.arrangement.order === 'rank' ? 'suit' : 'rank'
    keepOrder(order)
    this.#arrange({ order, own: [] })
    announcer.say(`Your hand is sorted by ${order}.`)
  }

  /** Puts cards of the hand before the one that is shown at `index`. */
  place(cards: readonly string[], index: number): void {
    this.#arrange({ order: 'own', own: moved(this.shown, cards, index) })
  }

  #arrange(arrangement: Arrangement): void {
    fly(this.root, () => (this.arrangement = arrangement), { duration: 220 })
    // A card that was dropped in the hand is where it belongs: nobody else is asked.
    returnHeldCards()
  }

  change(settings: Partial<Settings>): void {
    this.act({ type: 'settings', settings })
  }

  rename(name: string): void {
    this.#wantedName = name
    this.act({ type: 'name', name })
  }

  /** Plays for so many points; 0: on and on. */
  playFor(points: number): void {
    this.socket.send({ type: 'extras_target', points })
  }

  toLobby(): void {
    this.state = leaveRound(this.state)
  }

  /** Asks the HTTP API for what the protocol itself does not say. */
  async refreshInfo(): Promise<void> {
    if (document.hidden) return
    this.info = await api.table(this.code).catch(() => null)
  }

  isAway(name: string): boolean {
    return this.extras?.people.some((person) => person.name === name && person.away) ?? false
  }

  faceOf(card: string): Face | null {
    return this.state.faces[card] ?? null
  }

  /** The numbers of the melds on which these cards would fit together. */
  #roomFor(cards: readonly string[]): number[] {
    const { melds, settings } = this.state
    if (!settings) return []
    return roomFor(
      this.#faces(cards),
      melds.map((meld) => this.#faces(meld)),
      settings,
    )
  }

  #faces(cards: readonly string[]): Face[] {
    return cards.flatMap((id) => this.state.faces[id] ?? [])
  }

  // What the server says

  protected endsGreeting = endsGreeting
  protected fold = fold

  protected errorIn(event: Event): ServerError | null {
    return event.type === 'error' ? event : null
  }

  protected news(before: TableState, event: Event, after: TableState): News {
    return {
      written: told(before, event, after, inSigns),
      aloud: told(before, event, after, aloud),
      ...(event.type === 'end' && { sound: 'end' }),
    }
  }

  /** Dealing is quick; others' moves are slow enough to be followed. */
  protected override pause(event: Event): number {
    if (event.type === 'start') return 120
    if (event.type === 'redeck') return 350
    if (event.type !== 'move') return 0
    if (!this.state.turn) return 45
    if (!this.mine) return 420
    return event.destination.type === 'discard' ? 150 : 0
  }

  protected override flight(before: TableState): FlightOptions {
    return { duration: before.turn ? 300 : 220, from: (card) => zoneOf(before, card) }
  }

  protected override settle(): void {
    const hand = this.hand
    if (this.selected.some((id) => !hand.includes(id))) {
      this.selected = this.selected.filter((id) => hand.includes(id))
    }
  }

  protected override greeted(): void {
    if (this.state.phase !== 'round') this.#inLobby()
  }

  protected override happened(event: Event): void {
    if (event.type === 'lobby') this.#inLobby()
    if (event.type === 'start') this.selected = []
    // What could not be done in one round is of no use in the next, nor over the result.
    if (event.type === 'start' || event.type === 'end') toasts.clear()
  }

  #inLobby(): void {
    this.#keepName()
    void this.refreshInfo()
    if (this.#eager && this.state.me && this.state.players.length > 1) {
      this.#eager = false
      this.socket.send({ type: 'start' })
    }
  }

  /** A name given at the table is the visitor's name from now on, unless the server added a number
   *  to it because somebody else has that name. */
  #keepName(): void {
    const name = this.state.players.find((player) => player.id === this.state.me)?.name
    if (name && name === this.#wantedName && name !== visitor.me?.name)
      void visitor.rename(name).catch(() => {})
  }
}

/** Where a card lies, as `data-zone` names it. */
function zoneOf(table: TableState, card: string): string | null {
  if (table.deck.includes(card)) return 'deck'
  if (table.discard.includes(card)) return 'discard'
  const holder = Object.keys(table.hands).find((player) => table.hands[player]?.includes(card))
  return holder === undefined ? null : `hand:${holder}`
}
