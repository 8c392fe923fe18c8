/**
 * One viewer's side of a scene: the scene, who sits at its seats, the things that the viewer has
 * picked, and the action that is put together. It knows no socket: what the viewer has decided goes
 * to `act`. Without `act` the viewer only looks.
 */
import { announcer } from '../lib/announcer.svelte'
import { attempt } from '../lib/attempt'
import type { Timer } from '../lib/clock.svelte'
import { fly, returnHeldCards, type FlightOptions } from '../lib/flight'
import { asWords } from '../lib/schema'
import { toasts } from '../lib/toasts.svelte'
import type { Scene, Thing, Zone } from '../protocol/extras'
import {
  actionsAt,
  actionsOf,
  add,
  advance,
  begin,
  beginnings,
  close,
  finds,
  hasSeveralUses,
  isButton,
  isOptional,
  isPicked,
  next,
  possible,
  presses,
  spent,
  standsFor,
  targetsOf,
  thingKey,
  uses,
  zoneKey,
  zoneOf,
  type Draft,
  type Next,
  type Value,
} from './choose'
import { lettersFor } from './letters'
import { arranged, DECKS, keepOrder, keptOrder, moved, type Arrangement, type Deck } from './decks'

/** Who sits at a seat. */
export interface Sitter {
  name: string
  bot?: boolean
  away?: boolean
}

export type Act = (action: string, fields: Draft['fields']) => void

/** Something that a button or a key does. */
export interface Command {
  /** What it stands for: `zone …`, `action …`, `value …`, `done`. */
  key: string
  label: string
  letter?: string
  /** The action that it begins. */
  action?: string
  run: () => void
}

/** Keys of the board itself: find, sort. */
const RESERVED = 'fo'

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
  /** By seat. */
  sitters: Record<number, Sitter> = $state.raw({})
  /** Ids of the things that were picked, in the order they were picked. */
  picked: string[] = $state.raw([])
  /** The action that is put together. */
  draft: Draft | null = $state.raw(null)
  /** Ids of things being carried with the pointer, so that their places light up. */
  carried: string[] = $state.raw([])
  /** What a lesson points at: keys of things, zones and commands. */
  marked: ReadonlySet<string> = $state.raw(new Set())
  /** A match has begun, and its deal is still to be seen. */
  deals = $state(false)
  /** The element all things lie in. */
  root: HTMLElement | null = $state.raw(null)

  readonly act: Act | null
  readonly hurry: () => void
  /** By the names that zones call them by. */
  decks: Record<string, Deck> = $state.raw(DECKS)
  /** Things that came to the viewer since the last turn. */
  #fresh: Set<string> = $state.raw(new Set())
  #arrangements: Record<string, Arrangement> = $state.raw({})
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

  readonly name = (seat: number): string => this.sitters[seat]?.name ?? 'Somebody'

  /** A text of the scene, with the players' names in it. */
  readonly text = (text: string): string =>
    text.replace(/\{(\d+)\}/g, (_, seat: string) => this.sitters[Number(seat)]?.name ?? 'somebody')

  /** What to do next, or what is waited for. */
  readonly sentence: string = $derived.by(() => {
    if (!this.scene) return this.trouble || 'The cards are dealt …'
    if (!this.draft || !this.step) return this.text(this.scene.prompt)
    if (this.step.domain.type === 'text') return `${this.label(this.draft.action)}:`
    return this.offered.length > 0
      ? `Which ${asWords(this.step.field).toLowerCase()}?`
      : 'Choose one of those that are lit.'
  })

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
    this.#fresh = this.#stillFresh(before, scene, own)
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

  /** Things are new from when they came until the viewer's turn is over. A deal is not news. */
  #stillFresh(before: Scene | null, after: Scene | null, own: Set<string>): Set<string> {
    const had = ownThings(before)
    const waited = (scene: Scene | null): boolean =>
      scene?.viewer != null && (scene.awaits ?? []).includes(scene.viewer)
    const over = waited(before) && !waited(after)
    const kept = over ? [] : [...this.#fresh].filter((id) => own.has(id))
    const came = had.size === 0 ? [] : [...own].filter((id) => !had.has(id))
    return new Set([...kept, ...(came.length > had.size ? [] : came)])
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
    return zone.sortable ? arranged(things, this.deckOf(zone), this.#arrangement(zone)) : things
  }

  #marks({ id, marks = [] }: Thing): string[] {
    if (marks.length > 0) return marks.map(this.text)
    if (this.#singles.has(id)) return ['fits']
    return this.#fresh.has(id) ? ['new'] : []
  }

  /** What can be used by itself, where lists are needed: a card that fits a meld. */
  readonly #singles: Set<string> = $derived.by(
    () => new Set(this.#found.filter(({ length }) => length === 1).flat()),
  )
  readonly #found: string[][] = $derived.by(() => (this.scene && this.act ? finds(this.scene) : []))

  #arrangement(zone: Zone): Arrangement {
    const deck = zone.deck ?? 'french'
    return this.#arrangements[zone.id] ?? { order: keptOrder(deck, this.deckOf(zone)), own: [] }
  }

  /** The zone that the viewer can sort. */
  readonly sortable: Zone | undefined = $derived.by(() =>
    this.scene?.zones.find(
      (zone) => zone.sortable && Object.keys(this.deckOf(zone).orders).length > 0,
    ),
  )

  /** The order in which it would be sorted next. */
  readonly nextOrder: string = $derived.by(() => {
    if (!this.sortable) return ''
    const orders = Object.keys(this.deckOf(this.sortable).orders)
    const now = orders.indexOf(this.#arrangement(this.sortable).order)
    return orders[(now + 1) % orders.length] ?? ''
  })

  sort(): void {
    const zone = this.sortable
    if (!zone) return
    const order = this.nextOrder
    keepOrder(zone.deck ?? 'french', order)
    this.#arrange(zone, { order, own: [] })
    announcer.say(`${this.text(zone.label)}, sorted by ${order}.`)
  }

  /** Puts things of a zone before the one that is shown at `index`. */
  place(zone: Zone, ids: readonly string[], index: number): void {
    const shown = this.shown(zone).map(({ id }) => id)
    this.#arrange(zone, { order: '', own: moved(shown, ids, index) })
  }

  #arrange(zone: Zone, arrangement: Arrangement): void {
    const change = (): void => {
      this.#arrangements = { ...this.#arrangements, [zone.id]: arrangement }
    }
    fly(this.root, change, { duration: 220 })
    // What was dropped in its zone is where it belongs: nobody else is asked.
    returnHeldCards()
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

  /** By action: the ways in which it uses exactly what was picked. */
  readonly #uses: Map<string, Draft[]> = $derived.by(() => this.#usesOf(this.picked))

  #usesOf(ids: readonly string[]): Map<string, Draft[]> {
    const { scene } = this
    if (!scene || !this.act) return new Map()
    const found = actionsOf(scene.choices ?? []).map(
      (action) => [action, uses(scene, action, ids)] as const,
    )
    return new Map(found.filter(([, drafts]) => drafts.length > 0))
  }

  readonly #ways: Draft[] = $derived.by(() => (this.scene ? beginnings(this.scene) : []))

  /** What pressing each thing and zone does. */
  readonly #presses: Map<string, Draft[]> = $derived.by(() => {
    const { scene, draft } = this
    if (!scene || !this.act) return new Map()
    if (draft) return presses(scene, [draft])
    const begun = actionsOf(scene.choices ?? []).map(begin)
    const filled = this.#ways.filter(({ fields }) => Object.keys(fields).length > 0)
    const direct = presses(scene, [...begun, ...filled])
    for (const zone of scene.zones) {
      if (isPicked(scene, zone)) {
        for (const thing of zone.things ?? []) direct.delete(thingKey(thing))
      }
    }
    return new Map([...direct, ...this.#dropsOf(this.#uses)])
  })

  /** The zones where these are used: named by the action itself, or by its next field. */
  #dropsOf(drafts: Map<string, Draft[]>): Map<string, Draft[]> {
    if (!this.scene) return new Map()
    const found = presses(this.scene, [...drafts.values()].flat())
    for (const [action, ways] of drafts) {
      for (const zone of targetsOf(this.scene, action)) found.set(`zone ${zone}`, ways)
    }
    return new Map([...found].filter(([key]) => key.startsWith('zone ')))
  }

  /** Whether the things of a zone are picked first. */
  picks(zone: Zone): boolean {
    return this.act !== null && this.scene !== null && !this.draft && isPicked(this.scene, zone)
  }

  canPress(key: string): boolean {
    return this.#presses.has(key)
  }

  /** The action that the table waits for, or that was begun, if pressing it does that; or "". */
  askedFor(key: string): string {
    const leads = this.#presses.get(key) ?? []
    const asked = leads.find(({ action }) => this.draft !== null || !this.isOptional(action))
    return asked?.action ?? ''
  }

  /** Whether a thing by itself is enough for an action. */
  canUse(action: string, { id }: Thing): boolean {
    return this.#usesOf([id]).has(action)
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
      if (zone.seat === this.scene?.viewer && this.act) toasts.note(this.#whyNot())
    }
  }

  pressZone(zone: Zone): void {
    this.#pressKey(zoneKey(zone))
  }

  /** Does the action that is waited for, before others that nobody waits for. */
  #pressKey(key: string): boolean {
    const leads = this.#presses.get(key) ?? []
    const waited = leads.filter(({ action }) => !this.isOptional(action))
    const [only, ...more] = waited.length > 0 ? waited : leads
    if (!only) return false
    if (more.length === 0) this.#go(only)
    else toasts.note('Choose with the buttons what to do with it.')
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

  /** Picks things that can be used together, others each time. */
  find(): void {
    const found = this.#found
    const same = (ids: string[]): boolean =>
      ids.length === this.picked.length && ids.every((id) => this.picked.includes(id))
    const set = found[(found.findIndex(same) + 1) % Math.max(1, found.length)]
    if (set) this.picked = set
    else toasts.note(this.mine ? 'There is nothing to be found now.' : this.#whyNot())
  }

  // Carrying things

  /** Whether a thing can be carried: to where it is used, where pressing it does something, or to
   *  sort it. */
  canCarry(zone: Zone, thing: Thing): boolean {
    if (!this.act) return false
    const does = this.picks(zone) || this.canPress(thingKey(thing))
    return does || !!zone.sortable || this.#dropsOf(this.#usesOf([thing.id])).size > 0
  }

  /** Whether the zone would take what is carried. */
  accepts(drop: string): boolean {
    return this.#drop(drop) !== null
  }

  /** Lets go of what is carried over a zone. */
  drop(drop: string): void {
    this.#drop(drop)?.()
  }

  #drop(drop: string): (() => void) | null {
    const { scene, carried } = this
    const [id] = carried
    const source = scene && id !== undefined ? zoneOf(scene, id) : undefined
    const target = scene?.zones.find((zone) => zone.id === drop)
    if (!source || !target) return null
    const [draft] = this.#dropsOf(this.#usesOf(carried)).get(zoneKey(target)) ?? []
    if (draft) return () => this.#go(draft)
    // Taking something: drawing a card by carrying it to the hand.
    const thing = source.things?.find((one) => one.id === id)
    const mine = target.seat === scene?.viewer && source.seat !== scene?.viewer
    return thing && mine && this.canPress(thingKey(thing)) ? () => this.press(source, thing) : null
  }

  // Buttons and keys

  /** Everything that has a key now: piles that can be pressed, and what has a button. */
  readonly commands: Command[] = $derived.by(() => {
    const found = this.draft ? this.#answers() : [...this.#pileCommands(), ...this.#buttons()]
    // What can be done at any time keeps its letter.
    const always = found.filter(({ action }) => action && this.isOptional(action))
    const ordered = [...always, ...found.filter((command) => !always.includes(command))]
    const letters = lettersFor(
      ordered.map(({ label }) => label),
      this.draft ? '' : RESERVED,
    )
    return found.map((command) => ({ ...command, letter: letters[ordered.indexOf(command)] ?? '' }))
  })

  commandAt(key: string): Command | undefined {
    return this.commands.find((command) => command.key === key)
  }

  /** Piles that can be pressed, unless a button does the same. */
  #pileCommands(): Command[] {
    const piles = (this.scene?.zones ?? []).filter(({ look }) => look === 'pile')
    return piles.flatMap((zone) => {
      const key = this.pressOf(zone)
      const [lead] = (key && this.#presses.get(key)) || []
      if (!key || !lead || this.actions.includes(lead.action)) return []
      const named = this.scene?.choices?.find(
        ({ action, label }) => action === lead.action && label,
      )
      const label = named?.label ?? this.text(zone.label)
      return [{ key: zoneKey(zone), label, run: () => this.pressPile(zone) }]
    })
  }

  #buttons(): Command[] {
    return this.actions.flatMap((action) => {
      const ways = this.#ways.filter((draft) => draft.action === action)
      const choices = this.scene?.choices ?? []
      const whole = ways.filter((draft) => !next(choices, advance(choices, draft)))
      const onTable = ways.every((draft) => whole.includes(draft) || this.#goesOnAtTable(draft))
      if (ways.length < 2 || whole.length === 0 || !onTable) {
        const run = (): void => this.start(action)
        return [{ key: `action ${action}`, label: this.label(action), action, run }]
      }
      // What needs nothing else has a button of its own; the rest is pressed on the table.
      return whole.map((draft) => {
        const [field = '', value = ''] = Object.entries(draft.fields).at(-1) as [string, Value]
        const label = field ? this.#word(action, field, value) : this.label(action)
        return { key: `value ${value}`, label, action, run: () => this.#go(draft) }
      })
    })
  }

  /** Whether what an action needs next can be pressed on the table. */
  #goesOnAtTable(draft: Draft): boolean {
    const { scene } = this
    const step = next(scene?.choices ?? [], draft)
    return !!scene && !!step && targetsOf(scene, draft.action, step.field).length > 0
  }

  /** What people read for a value. */
  #word(action: string, field: string, value: Value): string {
    const domains = (this.scene?.choices ?? []).flatMap((choice) =>
      choice.action === action ? (choice.fields?.[field] ?? []) : [],
    )
    const words = domains.map(
      (domain) => domain.type === 'one' && domain.words?.[domain.of.indexOf(value as never)],
    )
    return asWords(words.find(Boolean) || String(value))
  }

  #answers(): Command[] {
    const { draft, step } = this
    if (!draft || !step) return []
    const values = this.offered.map((value) => ({
      key: `value ${value}`,
      label: this.#word(draft.action, step.field, value),
      run: () => this.choose(value),
    }))
    const done = { key: 'done', label: this.label(draft.action), run: () => this.done() }
    return step.done ? [...values, done] : values
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

  /** Whether things can be used in several ways, so that looking for some is worth a button. */
  readonly canFind: boolean = $derived.by(() => {
    const { scene } = this
    return !!scene && !!this.act && scene.zones.some((zone) => hasSeveralUses(scene, zone))
  })

  /** The actions that have a button. Those with picked things keep theirs when they can't be done,
   *  so that buttons stay where they are. */
  readonly actions: string[] = $derived.by(() => {
    const { scene } = this
    if (!scene || !this.act) return []
    const kept = scene.zones
      .filter((zone) => isPicked(scene, zone))
      .flatMap((zone) => actionsAt(scene, zone))
    const now = actionsOf(scene.choices ?? []).filter((action) => isButton(scene, action))
    return [...new Set([...kept, ...now])]
  })

  label(action: string): string {
    const labelled = this.scene?.choices?.find((one) => one.action === action && one.label)
    return labelled?.label ?? asWords(action)
  }

  isOptional(action: string): boolean {
    return this.scene !== null && isOptional(this.scene, action)
  }

  isLit(action: string): boolean {
    return this.#uses.has(action)
  }

  /** Whether there is nothing else to do. */
  isOnly(action: string): boolean {
    const [only, ...more] = actionsOf(this.scene?.choices ?? [])
    return only === action && more.length === 0
  }

  /** Why an action can't be done now; "": it can, or the server says why not. */
  whyNot(action: string): string {
    const { scene } = this
    const choices = (scene?.choices ?? []).filter((choice) => choice.action === action)
    if (!scene || choices.length === 0) return this.#whyNot()
    if (this.isLit(action) || !this.#needsThings(action)) return ''
    const domains = choices.flatMap(({ fields = {} }) => Object.values(fields))
    const some = domains.find((domain) => domain.type === 'some')
    const range = some && (some.least === some.most ? some.least : `${some.least} or more`)
    const what = some?.rule || range || 'one'
    if (this.picked.length === 0) return `${this.label(action)}: pick ${what} first.`
    const { length } = this.picked
    // Where every list of the right length will do, the page knows why not.
    const wrong = some && !some.sets && (length < some.least || length > some.most)
    return !wrong && this.#tried(action) ? '' : `${this.label(action)}: pick ${what}.`
  }

  #whyNot(): string {
    return this.text(this.scene?.prompt ?? '') || 'Not now.'
  }

  #needsThings(action: string): boolean {
    const { scene } = this
    return (
      !!scene &&
      scene.zones.some((zone) => isPicked(scene, zone) && actionsAt(scene, zone).includes(action))
    )
  }

  /** What was picked as an action that is not among the choices: the server says why not. */
  #tried(action: string): Draft | null {
    const { scene } = this
    const choice = scene?.choices?.find((one) => one.action === action)
    const draft = scene && choice ? spent(scene, choice, this.picked) : null
    const whole =
      draft && Object.keys(draft.fields).length === Object.keys(choice?.fields ?? {}).length
    return whole ? draft : null
  }

  /** Presses an action's button. */
  start(action: string): void {
    attempt(this.whyNot(action), () => {
      const ways = this.#uses.get(action)
      const tried = ways ? null : this.#needsThings(action) && this.#tried(action)
      if (tried) this.act?.(tried.action, tried.fields)
      else this.#go(ways?.[0] ?? begin(action))
    })
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
    this.picked = []
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

/** The ids of the viewer's own things. */
function ownThings(scene: Scene | null): Set<string> {
  const zones = (scene?.zones ?? []).filter(({ seat }) => seat === scene?.viewer)
  return new Set(zones.flatMap(({ things = [] }) => things.map(({ id }) => id)))
}
