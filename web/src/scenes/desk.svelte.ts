/**
 * One viewer's side of a scene: the scene, who sits at its seats, and the action that the viewer
 * puts together. It knows no socket: what the viewer has decided goes to `act`. Without `act` the
 * viewer only looks.
 */
import { fly, type FlightOptions } from '../lib/flight'
import { toasts } from '../lib/toasts.svelte'
import type { Scene } from '../protocol/extras'
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

/** Who sits at a seat. */
export interface Sitter {
  name: string
  bot?: boolean
  away?: boolean
}

export type Act = (action: string, fields: Draft['fields']) => void

const FLIGHT = 320

export class SceneDesk {
  scene: Scene | null = $state.raw(null)
  /** Said where there is no scene. */
  trouble = $state('')
  /** By seat. */
  sitters: Record<number, Sitter> = $state.raw({})
  /** The action that is put together. */
  draft: Draft | null = $state.raw(null)
  /** The element all things lie in. */
  root: HTMLElement | null = $state.raw(null)

  readonly act: Act | null
  /** Shows at once what waits to be shown, before the viewer does something. */
  readonly hurry: () => void

  constructor({ act = null, hurry = () => {} }: { act?: Act | null; hurry?: () => void } = {}) {
    this.act = act
    this.hurry = hurry
  }

  /** Whether the table waits for this viewer. */
  readonly mine: boolean = $derived.by(
    () => this.act !== null && (this.scene?.choices ?? []).some(({ optional }) => !optional),
  )

  readonly name = (seat: number): string => this.sitters[seat]?.name ?? 'Somebody'

  /** A text of the scene, with the players' names in it. */
  readonly text = (text: string): string =>
    text.replace(/\{(\d+)\}/g, (_, seat: string) => this.sitters[Number(seat)]?.name ?? 'somebody')

  /** Shows another scene; things fly from where they are to where they are then. */
  show(scene: Scene | null, trouble = ''): void {
    const before = this.scene
    fly(this.root, () => this.take(scene, trouble), this.flight(before, scene))
  }

  /** Shows another scene at once. */
  take(scene: Scene | null, trouble = ''): void {
    // What was begun may not be possible any more.
    if (scene !== this.scene) this.draft = null
    this.scene = scene
    this.trouble = trouble
  }

  /** Where a thing comes from that had no element: the one pile with more below than now. */
  flight(before: Scene | null, after: Scene | null): FlightOptions {
    const now = new Map((after?.zones ?? []).map((zone) => [zone.id, zone.more ?? 0]))
    const source = before?.zones.find((zone) => (zone.more ?? 0) > (now.get(zone.id) ?? 0))
    return { duration: FLIGHT, from: () => source?.id ?? null }
  }

  // What the viewer does

  /** What pressing each thing and zone does. */
  readonly presses = $derived.by(() =>
    this.scene && this.act ? presses(this.scene, this.draft) : new Map<string, Draft[]>(),
  )

  /** What the action that is put together needs next. */
  readonly step: Next | null = $derived.by(() =>
    this.draft && this.scene ? next(this.scene.choices ?? [], this.draft) : null,
  )

  /** Presses a thing or a zone. Where it can mean several actions, the viewer is asked which. */
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
    const choices = this.scene?.choices ?? []
    return choices.filter((choice) => choice.action === action).every(({ optional }) => optional)
  }

  #go(draft: Draft): void {
    const choices = this.scene?.choices ?? []
    const reached = advance(choices, draft)
    if (next(choices, reached)) {
      this.draft = reached
      return
    }
    this.draft = null
    this.act?.(reached.action, reached.fields)
  }
}
