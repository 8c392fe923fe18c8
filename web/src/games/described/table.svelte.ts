/** One visitor's side of a table whose game describes itself by scenes. */
import type { FlightOptions } from '../../lib/flight'
import { LiveTable, type News, type Seating, type ServerError } from '../../lib/live-table.svelte'
import { toasts } from '../../lib/toasts.svelte'
import { visitor } from '../../lib/visitor.svelte'
import { Event, type Action } from '../../protocol/plain'
import type { Incoming } from '../../protocol/extras'
import {
  add,
  advance,
  begin,
  close,
  next,
  presses,
  type Draft,
  type Next,
  type Value,
} from './choose'
import { EMPTY, filled, fold, playerAt, putAway, type Message, type TableState } from './state'

/** How long to look at each change, so that it can be followed when bots answer at once. */
const PAUSE = 450

export class DescribedTable extends LiveTable<TableState, Message, Action | Incoming> {
  /** The action that this visitor is putting together. */
  draft: Draft | null = $state.raw(null)
  #eager: boolean

  constructor({ code, watch, game, eager }: Seating & { game: string; eager: boolean }) {
    super({
      code,
      watch,
      path: `/plain/${game}?${watch ? 'watch' : 'table'}=${code}`,
      empty: EMPTY,
      shape: Event,
      extras: 'story,scene',
    })
    this.#eager = eager
  }

  get mine(): boolean {
    const { scene } = this.state
    return (scene?.choices ?? []).some(({ optional }) => !optional)
  }

  readonly name = (seat: number): string => this.state.seats[seat]?.name ?? 'Somebody'
  readonly text = (text: string): string => filled(text, this.state)

  // What the visitor does

  /** What pressing each thing and zone does. */
  readonly presses = $derived.by(() =>
    this.state.scene ? presses(this.state.scene, this.draft) : new Map<string, Draft[]>(),
  )

  /** What the action that is put together needs next. */
  readonly step: Next | null = $derived.by(() =>
    this.draft && this.state.scene ? next(this.state.scene.choices ?? [], this.draft) : null,
  )

  /** Presses a thing or a zone. Where it can mean several actions, the visitor is asked which. */
  press(key: string): void {
    const leads = this.presses.get(key) ?? []
    const waited = leads.filter(({ action }) => !this.#optional(action))
    const [only, ...more] = waited.length > 0 ? waited : leads
    if (!only) return
    if (more.length === 0) this.#go(only)
    else toasts.note('Choose with the buttons what to do with it.')
  }

  start(action: string): void {
    this.#go(begin(action))
  }

  choose(value: Value): void {
    if (this.draft && this.step) this.#go(add(this.draft, this.step, value))
  }

  /** Ends a list. */
  done(): void {
    if (this.draft && this.step) this.#go(close(this.draft, this.step))
  }

  cancel(): void {
    this.draft = null
  }

  #optional(action: string): boolean {
    const choices = this.state.scene?.choices ?? []
    return choices.filter((choice) => choice.action === action).every(({ optional }) => optional)
  }

  #go(draft: Draft): void {
    const choices = this.state.scene?.choices ?? []
    const reached = advance(choices, draft)
    if (next(choices, reached)) {
      this.draft = reached
      return
    }
    this.draft = null
    this.act({ type: 'extras_act', action: reached.action, fields: reached.fields })
  }

  protected override speak(text: string): boolean {
    return this.act({ type: 'say', text })
  }

  rename(name: string): void {
    this.act({ type: 'name', name })
    void visitor.rename(name).catch(() => {})
  }

  toLobby(): void {
    this.state = putAway(this.state)
  }

  // What the server says

  protected fold = fold

  protected endsGreeting(message: Message): boolean {
    return message.type === 'lobby'
  }

  protected errorIn(message: Message): ServerError | null {
    return message.type === 'error' ? message : null
  }

  protected news(_before: TableState, message: Message, after: TableState): News {
    switch (message.type) {
      case 'said':
        return {
          written: message.text,
          by: message.name,
          aloud: `${message.name} says: ${message.text}`,
        }
      case 'extras_change': {
        const move = this.text(message.move ?? '')
        const prompt = this.mine ? ` ${this.text(after.scene?.prompt ?? '')}` : ''
        return { written: move, aloud: `${move}${prompt}`.trim() }
      }
      case 'result':
        return { sound: 'end' }
      default:
        return {}
    }
  }

  protected override retold(): string[] {
    return []
  }

  protected override pause(message: Message): number {
    return message.type === 'extras_change' && message.move ? PAUSE : 0
  }

  /** Where a thing comes from that had no element: the one pile with more below than now. */
  protected override flight(before: TableState): FlightOptions {
    const now = new Map((this.state.scene?.zones ?? []).map((zone) => [zone.id, zone.more ?? 0]))
    const source = before.scene?.zones.find((zone) => (zone.more ?? 0) > (now.get(zone.id) ?? 0))
    return { duration: 320, from: () => source?.id ?? null }
  }

  protected override settle(): void {
    // What was begun may not be possible any more.
    this.draft = null
  }

  protected override greeted(): void {
    this.#begin()
  }

  protected override happened(message: Message): void {
    if (message.type === 'lobby') this.#begin()
    if (message.type === 'match') toasts.clear()
    if (message.type === 'extras_scene') {
      for (const move of message.moves ?? []) this.write(this.text(move))
    }
  }

  #begin(): void {
    const { lobby } = this.state
    if (lobby?.running) this.state = { ...this.state, atTable: true }
    if (this.#eager && lobby && !lobby.running && lobby.players.length >= lobby.min_seats) {
      this.#eager = false
      this.socket.send({ type: 'start' })
    }
  }

  get myName(): string {
    return playerAt(this.state, this.state.place)?.name ?? ''
  }
}
