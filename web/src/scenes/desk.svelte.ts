/**
 * One viewer's side of a scene: the scene, who sits at its seats, the things that the viewer has
 * picked, and the action that is put together. It knows no socket: what the viewer has decided goes
 * to `act`. Without `act` the viewer only looks.
 */
import { listed, said, t } from '../lib/messages'
import { attempt } from '../lib/attempt'
import type { Timer } from '../lib/clock.svelte'
import { fly, type FlightOptions } from '../lib/flight'
import { asWords } from '../lib/schema'
import { toasts } from '../lib/toasts.svelte'
import type { Scene, Thing, Zone } from '../protocol/extras'
import { Arranging } from './arranging.svelte'
import { Carrying } from './carrying.svelte'
import {
  actionsOf,
  add,
  advance,
  begin,
  close,
  isOptional,
  isPicked,
  next,
  possible,
  standsFor,
  thingKey,
  zoneKey,
  type Draft,
  type Next,
  type Value,
} from './choose'
import { Commands } from './commands.svelte'
import { DECKS, type Deck } from './decks'
import { Finding } from './finding.svelte'
import { ownThings, stillFresh } from './fresh'
import { Leads } from './leads.svelte'
import { notNow, tried, whyNot } from './whynot'

/** Who sits at a seat. */
export interface Sitter {
  name: string
  bot?: boolean
  away?: boolean
}

export type Act = (action: string, fields: Draft['fields']) => void

export interface DeskOptions {
  act?: Act | null
  /** Shows at once what waits to be shown, before the viewer does something. */
  hurry?: () => void
  /** The game's own. */
  decks?: Record<string, Deck>
}

const FLIGHT = 320
const LONGEST = 15 * 60_000
/** How long an action that was begun waits for choices, in milliseconds. */
const PATIENCE = 3000

export class SceneDesk {
  scene: Scene | null = $state.raw(null)
  /** Said where there is no scene. */
  trouble = $state('')
  /** The last event, in a sentence. */
  told = $state('')
  /** By seat. */
  sitters: Record<number, Sitter> = $state.raw({})
  /** Ids of the things that were picked, in the order they were picked. */
  picked: string[] = $state.raw([])
  /** The action that is put together. */
  draft: Draft | null = $state.raw(null)
  /** What a lesson points at: keys of things, zones and commands. */
  marked: ReadonlySet<string> = $state.raw(new Set())
  /** A match has begun, and its deal is still to be seen. */
  deals = $state(false)
  /** The element all things lie in. */
  root: HTMLElement | null = $state.raw(null)

  readonly act: Act | null
  readonly hurry: () => void
  readonly leads = new Leads(this)
  readonly commands = new Commands(this)
  readonly carrying = new Carrying(this)
  readonly arranging = new Arranging(this)
  readonly finding = new Finding(this)
  /** By the names that zones call them by. */
  decks: Record<string, Deck> = $state.raw(DECKS)
  /** Things that came to the viewer since the last turn. */
  #fresh: Set<string> = $state.raw(new Set())
  #timer: Timer | null = $state.raw(null)
  /** What was put together when the choices went away. */
  #begun: { draft: Draft; at: number } | null = null

  constructor({ act = null, hurry = () => {}, decks = {} }: DeskOptions = {}) {
    this.act = act
    this.hurry = hurry
    this.addDecks(decks)
  }

  /** Whether the table waits for this viewer. */
  readonly mine: boolean = $derived.by(
    () => this.act !== null && (this.scene?.choices ?? []).some(({ optional }) => !optional),
  )

  /** What the viewer does or is waited for to do, in the word of the protocol. */
  readonly doing: string = $derived.by(() => {
    const waited = (this.scene?.choices ?? []).filter(({ optional }) => !optional)
    return this.draft?.action ?? ((this.mine && waited.at(-1)?.action) || 'wait')
  })

  readonly name = (seat: number): string => this.sitters[seat]?.name ?? t('Somebody')

  /** A text of the scene, with the players' names in it. */
  readonly text = (text: string): string =>
    said(text).replace(
      /\{(\d+)\}/g,
      (_, seat: string) => this.sitters[Number(seat)]?.name ?? t('somebody'),
    )

  /** What to do next, or what is waited for. */
  readonly sentence: string = $derived.by(() => {
    if (!this.scene) return this.trouble || t('The cards are dealt …')
    if (!this.draft || !this.step) return this.text(this.scene.prompt)
    if (this.step.domain.type === 'text') return `${this.label(this.draft.action)}:`
    return this.offered.length > 0
      ? said(`Which ${asWords(this.step.field).toLowerCase()}?`)
      : t('Choose one of those that are lit.')
  })

  /** The viewer's open cards in words, for screen readers; "": there are none. */
  get held(): string {
    const { zones = [], viewer } = this.scene ?? {}
    const cards = zones
      .filter(({ seat, look }) => look === 'hand' && seat === viewer && seat !== undefined)
      .flatMap((zone) =>
        this.shown(zone).flatMap(({ face }) => (face ? [this.deckOf(zone).spoken(face)] : [])),
      )
    return cards.length > 0 ? t('You hold {cards}.', { cards: listed(cards) }) : ''
  }

  /** The time left for what is waited for. */
  readonly timer: Timer | null = $derived.by(() => (this.scene?.deadline ? this.#timer : null))

  deckOf(zone: Zone): Deck {
    return this.decks[zone.deck ?? 'french'] ?? DECKS['text']!
  }

  /** Decks that the game brings, once they have been loaded. */
  addDecks(decks: Record<string, Deck>): void {
    this.decks = { ...this.decks, ...decks }
  }

  /** Shows another scene; things fly from where they are to where they are then. */
  show(scene: Scene | null, trouble = ''): void {
    const before = this.scene
    fly(this.root, () => this.take(scene, trouble), this.flight(before, scene))
  }

  /** Shows another scene at once. */
  take(scene: Scene | null, trouble = ''): void {
    const before = this.scene
    this.scene = scene
    this.trouble = trouble
    if (scene === before) return
    this.draft = this.#stillBegun(scene)
    const own = ownThings(scene)
    this.picked = this.picked.filter((id) => own.has(id))
    this.#fresh = stillFresh(this.#fresh, before, scene)
    if (scene?.deadline && scene.deadline !== before?.deadline) {
      // Not where the clocks of the server and of this machine disagree.
      const total = scene.deadline - Date.now()
      this.#timer = total > 0 && total < LONGEST ? { until: scene.deadline, total } : null
    }
  }

  /** What was begun goes on where it is still possible. Between the events of one move there are
   *  no choices; it waits for them, but not for the viewer's next turn. */
  #stillBegun(scene: Scene | null): Draft | null {
    const choices = scene?.choices ?? []
    if (this.draft) this.#begun = { draft: this.draft, at: Date.now() }
    const { draft, at } = this.#begun ?? { draft: null, at: 0 }
    if (choices.length === 0 && Date.now() - at < PATIENCE) return null
    this.#begun = null
    const goes = draft && Date.now() - at < PATIENCE && possible(choices, draft).length > 0
    return goes && next(choices, draft) ? draft : null
  }

  /** Where a thing comes from that had no element: the one pile with more below than now. */
  flight(before: Scene | null, after: Scene | null): FlightOptions {
    const now = new Map((after?.zones ?? []).map((zone) => [zone.id, zone.more ?? 0]))
    const source = before?.zones.find((zone) => (zone.more ?? 0) > (now.get(zone.id) ?? 0))
    return { duration: FLIGHT, from: () => source?.id ?? null }
  }

  // The viewer's own things

  /** The things of a zone as they are shown, with what this page says of them. */
  shown(zone: Zone): Thing[] {
    const things = (zone.things ?? []).map((thing) => ({ ...thing, marks: this.#marks(thing) }))
    return this.arranging.arranged(zone, things)
  }

  #marks({ id, marks = [] }: Thing): string[] {
    if (marks.length > 0) return marks.map(this.text)
    if (this.finding.singles.has(id)) return [t('fits')]
    return this.#fresh.has(id) ? [t('new')] : []
  }

  // What the viewer can do

  /** What the action that is put together needs next. */
  readonly step: Next | null = $derived.by(() =>
    this.draft && this.scene ? next(this.scene.choices ?? [], this.draft) : null,
  )

  /** The values of the next field that nothing on the table stands for. */
  readonly offered: Value[] = $derived.by(() => {
    const { draft, step, scene } = this
    if (!draft || !step || !scene || step.domain.type === 'text') return []
    return step.values.filter(
      (value) => standsFor(scene, draft.action, step.field, value).length === 0,
    )
  })

  /** Whether the things of a zone are picked first. */
  picks(zone: Zone): boolean {
    return this.act !== null && this.scene !== null && !this.draft && isPicked(this.scene, zone)
  }

  canPress(key: string): boolean {
    return this.leads.at(key).length > 0
  }

  /** The action that the table waits for, or that was begun, if pressing it does that; or "". */
  askedFor(key: string): string {
    const leads = this.leads.at(key)
    const asked = leads.find(({ action }) => this.draft !== null || !this.isOptional(action))
    return asked?.action ?? ''
  }

  /** Whether a thing by itself is enough for an action. */
  canUse(action: string, { id }: Thing): boolean {
    return this.leads.usesOf([id]).has(action)
  }

  /** Whether a thing is picked, or part of the action that is put together. */
  isChosen({ id, name = id }: Thing): boolean {
    return (
      this.picked.includes(id) ||
      Object.values(this.draft?.fields ?? {}).some((value) =>
        Array.isArray(value) ? value.includes(name) : value === name,
      )
    )
  }

  /** Presses a thing. */
  press(zone: Zone, thing: Thing): void {
    if (this.picks(zone)) this.toggle(thing.id)
    else if (!this.#pressKey(thingKey(thing))) {
      if (zone.seat === this.scene?.viewer && this.act) toasts.note(notNow(this))
    }
  }

  pressZone(zone: Zone): void {
    this.#pressKey(zoneKey(zone))
  }

  /** Does the action that is waited for, before others that nobody waits for. */
  #pressKey(key: string): boolean {
    const leads = this.leads.at(key)
    const waited = leads.filter(({ action }) => !this.isOptional(action))
    const [only, ...more] = waited.length > 0 ? waited : leads
    if (!only) return false
    if (more.length === 0) this.go(only)
    else toasts.note(t('Choose with the buttons what to do with it.'))
    return true
  }

  toggle(id: string): void {
    this.picked = this.picked.includes(id)
      ? this.picked.filter((other) => other !== id)
      : [...this.picked, id]
  }

  pick(ids: string[]): void {
    this.picked = ids
  }

  /** What pressing a pile presses: itself, or the thing on top; "": nothing now. */
  pressOf(zone: Zone): string {
    const top = zone.things?.at(-1)
    if (this.canPress(zoneKey(zone))) return zoneKey(zone)
    return top && this.canPress(thingKey(top)) ? thingKey(top) : ''
  }

  pressPile(zone: Zone): void {
    this.#pressKey(this.pressOf(zone))
  }

  label(action: string): string {
    const labelled = this.scene?.choices?.find((one) => one.action === action && one.label)
    return said(labelled?.label ?? asWords(action))
  }

  isOptional(action: string): boolean {
    return this.scene !== null && isOptional(this.scene, action)
  }

  isLit(action: string): boolean {
    return this.leads.uses.has(action)
  }

  /** Whether there is nothing else to do. */
  isOnly(action: string): boolean {
    const [only, ...more] = actionsOf(this.scene?.choices ?? [])
    return only === action && more.length === 0
  }

  /** Presses an action's button. */
  start(action: string): void {
    attempt(whyNot(this, action), () => {
      const ways = this.leads.uses.get(action)
      const asked = ways ? null : tried(this, action)
      if (asked) this.act?.(asked.action, asked.fields)
      else this.go(ways?.[0] ?? begin(action))
    })
  }

  choose(value: Value): void {
    if (this.draft && this.step) this.go(add(this.draft, this.step, value))
  }

  /** Ends a list. */
  done(): void {
    if (this.draft && this.step) this.go(close(this.draft, this.step))
  }

  cancel(): void {
    this.draft = null
    this.picked = []
  }

  /** Does an action if it is complete; else asks for the rest. */
  go(draft: Draft): void {
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
