/** One visitor's side of a rummy table: the line to the server, what it told, what is in hand. */
import { announcer } from '../../lib/announcer.svelte'
import { api, type TableInfo } from '../../lib/api'
import { fly, letGo } from '../../lib/flight'
import { Pace } from '../../lib/pace'
import { Socket } from '../../lib/socket.svelte'
import {
  refusalOf,
  sendOrSay,
  SNAPSHOT_SILENCE,
  type Line,
  type Refusal,
  type Seating,
} from '../../lib/table'
import { moving } from '../../lib/taste.svelte'
import { toasts } from '../../lib/toasts.svelte'
import { visitor } from '../../lib/visitor.svelte'
import type { Action, Event, Face, Settings } from '../../protocol/rummy'
import { isMeld, meldsIn, roomFor } from './hints'
import { keepScores, keptScores } from './scores'
import { emptyTable, fold, isMine, leaveRound, topOf, type TableState } from './state'
import { aloud, inSigns, told } from './words'

export type Source = 'deck' | 'discard'

export class RummyTable {
  state: TableState = $state.raw(emptyTable())
  log: Line[] = $state.raw([])
  /** Cards of the hand picked out, in the order they were picked. */
  selected: string[] = $state.raw([])
  /** What is being carried with the pointer, so that its places light up. */
  carrying: Source | 'hand' | null = $state(null)
  refusal: Refusal | null = $state.raw(null)
  /** The hall's account of this table: who has lost the line, and settings as they were chosen. */
  info: TableInfo | null = $state.raw(null)
  /** The element all cards lie in. */
  root: HTMLElement | null = $state.raw(null)

  readonly socket: Socket<Event, Action>
  readonly watch: boolean

  readonly mine = $derived(isMine(this.state))
  readonly toDraw = $derived(this.mine && this.state.turn?.step === 'draw')
  readonly toPlay = $derived(this.mine && this.state.turn?.step === 'play')
  readonly hand: string[] = $derived(this.state.me ? (this.state.hands[this.state.me] ?? []) : [])
  readonly picked: Face[] = $derived(this.#faces(this.selected))
  /** Hints only: the server decides. */
  readonly meldable = $derived(
    this.toPlay && this.state.settings !== null && isMeld(this.picked, this.state.settings),
  )
  readonly layable: number[] = $derived(
    this.toPlay && this.state.settings !== null
      ? roomFor(
          this.picked,
          this.state.melds.map((meld) => this.#faces(meld)),
          this.state.settings,
        )
      : [],
  )
  readonly discardable = $derived(
    this.toPlay &&
      this.selected.length === 1 &&
      (this.selected[0] !== this.state.taken || this.hand.length === 1),
  )

  #pace: Pace<Event>
  #eager: boolean
  #picture = false
  #silence: ReturnType<typeof setTimeout> | undefined
  #lines = 0
  /** The name asked for at this table. */
  #asked: string | null = null

  constructor({ code, watch, eager }: Seating) {
    this.watch = watch
    this.#eager = eager
    this.state = emptyTable(keptScores(code))
    this.#pace = new Pace(
      (event) => this.#apply(event),
      (event) => this.#gap(event),
    )
    this.socket = new Socket({
      path: `/rummy?${watch ? 'watch' : 'table'}=${encodeURIComponent(code)}`,
      onmessage: (event) => this.#receive(event),
      onopen: () => {
        this.#pace.drop()
        this.#picture = true
      },
      onrefused: (code, reason) => (this.refusal = refusalOf(code, reason)),
    })
  }

  leave(): void {
    this.#pace.drop()
    clearTimeout(this.#silence)
    this.socket.close()
  }

  // What the visitor does

  act(action: Action): boolean {
    this.#pace.flush()
    return sendOrSay(this.socket, action)
  }

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

  /** Picks out a meld of the hand, the next one each time it is asked. */
  suggest(): void {
    if (!this.state.settings) return
    const hand = this.hand
    const found = meldsIn(this.#faces(hand), this.state.settings).map((meld) =>
      meld.map((at) => hand[at]!),
    )
    const same = (meld: string[]): boolean =>
      meld.length === this.selected.length && meld.every((id) => this.selected.includes(id))
    const next = found[(found.findIndex(same) + 1) % Math.max(1, found.length)]
    if (next) this.selected = next
    else toasts.note('There is no meld in your hand yet.')
  }

  change(settings: Partial<Settings>): void {
    this.act({ type: 'settings', settings })
  }

  rename(name: string): void {
    this.#asked = name
    this.act({ type: 'name', name })
  }

  toLobby(): void {
    this.state = leaveRound(this.state)
  }

  /** Skips what is still being shown. */
  hurry(): void {
    if (this.#pace.busy) this.#pace.flush()
  }

  /** Asks the hall for what the protocol itself does not say. */
  async lookRound(): Promise<void> {
    if (!this.state.code || document.hidden) return
    this.info = await api.table(this.state.code).catch(() => null)
  }

  isAway(name: string): boolean {
    return (
      this.info?.players.some(
        (player) => player.name === name && player.human && !player.present,
      ) ?? false
    )
  }

  faceOf(card: string): Face | null {
    return this.state.faces[card] ?? null
  }

  #faces(cards: readonly string[]): Face[] {
    return cards.flatMap((id) => this.state.faces[id] ?? [])
  }

  // What the server says

  #receive(event: Event): void {
    if (event.type === 'error') {
      this.#refused(event.message)
    } else if (this.#picture) {
      // After a reload the table simply stands there; nothing of it is news.
      this.state = fold(this.state, event)
      if (this.state.me) visitor.tables.add(this.state.code)
      clearTimeout(this.#silence)
      if (event.type === 'lobby') this.#live(event)
      else this.#silence = setTimeout(() => (this.#picture = false), SNAPSHOT_SILENCE)
    } else {
      this.#pace.push(event)
    }
  }

  #refused(message: string): void {
    letGo()
    if (this.state.phase === 'waiting') this.refusal = { why: message, exists: true }
    else toasts.error(message)
  }

  #apply(event: Event): void {
    const before = this.state
    const after = fold(before, event)
    fly(
      this.root,
      () => {
        this.state = after
        const hand = this.hand
        if (this.selected.some((id) => !hand.includes(id))) {
          this.selected = this.selected.filter((id) => hand.includes(id))
        }
      },
      { duration: before.turn ? 300 : 220, from: (card) => zoneOf(before, card) },
    )
    this.#live(event)
    const text = told(before, event, after, inSigns)
    if (text) this.log = [...this.log.slice(-79), { id: this.#lines++, text }]
    announcer.say(told(before, event, after, aloud))
  }

  #live(event: Event): void {
    if (event.type === 'lobby') {
      this.#picture = false
      this.#keepName()
      void this.lookRound()
      if (this.#eager && this.state.me && this.state.players.length > 1) {
        this.#eager = false
        this.socket.send({ type: 'start' })
      }
    }
    if (event.type === 'start') {
      this.selected = []
      toasts.clear()
    }
    if (event.type === 'end') keepScores(this.state.code, this.state.rounds)
  }

  /** A name given at the table is the visitor's name from now on, unless the house numbered it. */
  #keepName(): void {
    const name = this.state.players.find((player) => player.id === this.state.me)?.name
    if (name && name === this.#asked && name !== visitor.me?.name)
      void visitor.rename(name).catch(() => {})
  }

  /** How long to look at an event before the next: dealing is quick, others' moves can be followed. */
  #gap(event: Event): number {
    if (!moving() || document.hidden) return 0
    if (event.type === 'start') return 120
    if (event.type === 'redeck') return 350
    if (event.type !== 'move') return 0
    if (!this.state.turn) return 45
    const own = this.mine
    return own ? (event.destination.type === 'discard' ? 150 : 0) : 420
  }
}

/** Where a card lies, as `data-zone` names it. */
function zoneOf(table: TableState, card: string): string | null {
  if (table.deck.includes(card)) return 'deck'
  if (table.discard.includes(card)) return 'discard'
  const holder = Object.keys(table.hands).find((player) => table.hands[player]?.includes(card))
  return holder === undefined ? null : `hand:${holder}`
}
