/** The buttons and keys of a desk: piles that can be pressed, actions, and values to choose from. */
import { said } from '../lib/messages'
import { asWords } from '../lib/schema'
import {
  actionsAt,
  actionsOf,
  advance,
  isButton,
  isPicked,
  next,
  targetsOf,
  zoneKey,
  type Draft,
  type Value,
} from './choose'
import type { SceneDesk } from './desk.svelte'
import { lettersFor } from './letters'

/** Something that a button or a key does. */
export interface Command {
  /** Names its target: `zone …`, `action …`, `value …`, `done`. */
  key: string
  label: string
  letter?: string
  /** The action that it begins. */
  action?: string
  run: () => void
}

/** Keys of the board itself: find, sort. */
const RESERVED = 'fo'

export class Commands {
  readonly #desk: SceneDesk

  constructor(desk: SceneDesk) {
    this.#desk = desk
  }

  /** The actions that have a button. Those with picked things keep theirs when they can't be done,
   *  so that buttons stay where they are. */
  readonly actions: string[] = $derived.by(() => {
    const { scene, act } = this.#desk
    if (!scene || !act) return []
    const kept = scene.zones
      .filter((zone) => isPicked(scene, zone))
      .flatMap((zone) => actionsAt(scene, zone))
    const now = actionsOf(scene.choices ?? []).filter((action) => isButton(scene, action))
    return [...new Set([...kept, ...now])]
  })

  /** Everything that has a key now: piles that can be pressed, and what has a button. */
  readonly all: Command[] = $derived.by(() => {
    const found = this.#desk.draft ? this.#answers() : [...this.#pileCommands(), ...this.#buttons()]
    // Actions that are possible at any time keep their letters.
    const always = found.filter(({ action }) => action && this.#desk.isOptional(action))
    const ordered = [...always, ...found.filter((command) => !always.includes(command))]
    const letters = lettersFor(
      ordered.map(({ label }) => label),
      this.#desk.draft ? '' : RESERVED,
    )
    return found.map((command) => ({ ...command, letter: letters[ordered.indexOf(command)] ?? '' }))
  })

  at(key: string): Command | undefined {
    return this.all.find((command) => command.key === key)
  }

  /** Piles that can be pressed, unless a button does the same. */
  #pileCommands(): Command[] {
    const piles = (this.#desk.scene?.zones ?? []).filter(({ look }) => look === 'pile')
    return piles.flatMap((zone) => {
      const key = this.#desk.pressOf(zone)
      const [lead] = this.#desk.leads.at(key)
      if (!key || !lead || this.actions.includes(lead.action)) return []
      const named = this.#desk.scene?.choices?.find(
        ({ action, label }) => action === lead.action && label,
      )
      const label = named?.label ? said(named.label) : this.#desk.text(zone.label)
      return [{ key: zoneKey(zone), label, run: () => this.#desk.pressPile(zone) }]
    })
  }

  #buttons(): Command[] {
    return this.actions.flatMap((action) => {
      const ways = this.#desk.leads.ways.filter((draft) => draft.action === action)
      const choices = this.#desk.scene?.choices ?? []
      const whole = ways.filter((draft) => !next(choices, advance(choices, draft)))
      const onTable = ways.every((draft) => whole.includes(draft) || this.#goesOnAtTable(draft))
      if (ways.length < 2 || whole.length === 0 || !onTable) {
        const run = (): void => this.#desk.start(action)
        return [{ key: `action ${action}`, label: this.#desk.label(action), action, run }]
      }
      // Complete actions have buttons of their own; the rest is pressed on the table.
      return whole.map((draft) => {
        const [field = '', value = ''] = Object.entries(draft.fields).at(-1) as [string, Value]
        const label = field ? this.#word(action, field, value) : this.#desk.label(action)
        return { key: `value ${value}`, label, action, run: () => this.#desk.go(draft) }
      })
    })
  }

  /** Whether what an action needs next can be pressed on the table. */
  #goesOnAtTable(draft: Draft): boolean {
    const { scene } = this.#desk
    const step = next(scene?.choices ?? [], draft)
    return !!scene && !!step && targetsOf(scene, draft.action, step.field).length > 0
  }

  /** The text that people read for a value. */
  #word(action: string, field: string, value: Value): string {
    const domains = (this.#desk.scene?.choices ?? []).flatMap((choice) =>
      choice.action === action ? (choice.fields?.[field] ?? []) : [],
    )
    const words = domains.map(
      (domain) => domain.type === 'one' && domain.words?.[domain.of.indexOf(value as never)],
    )
    return said(asWords(words.find(Boolean) || String(value)))
  }

  #answers(): Command[] {
    const { draft, step } = this.#desk
    if (!draft || !step) return []
    const values = this.#desk.offered.map((value) => ({
      key: `value ${value}`,
      label: this.#word(draft.action, step.field, value),
      run: () => this.#desk.choose(value),
    }))
    const done = {
      key: 'done',
      label: this.#desk.label(draft.action),
      run: () => this.#desk.done(),
    }
    return step.done ? [...values, done] : values
  }
}
