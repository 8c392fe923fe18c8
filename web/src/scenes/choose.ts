/**
 * Putting an action together from the choices of a scene (docs/protocols/extras.md): which values
 * may come next, and when it is complete. The server checks the result; nothing here knows a game.
 */
import type { Choice, Domain, Scene, Some, Thing, Zone } from '../protocol/extras'

export type Value = string | number | boolean | null

/** An action that is being put together. The fields are filled in their order. */
export interface Draft {
  action: string
  fields: Record<string, Value | Value[]>
  /** The field that is a list and takes more values. */
  open?: string | undefined
}

/** What may be added to a draft. */
export interface Next {
  field: string
  domain: Domain
  /** Values that may be chosen now. */
  values: Value[]
  /** A list may end here. */
  done: boolean
}

export const begin = (action: string): Draft => ({ action, fields: {} })

/** The choices that a draft can still become. */
export function possible(choices: readonly Choice[], draft: Draft): Choice[] {
  return choices.filter(
    (choice) =>
      choice.action === draft.action &&
      Object.entries(draft.fields).every(([field, value]) => {
        const domain = choice.fields?.[field]
        return domain !== undefined && admits(domain, value, draft, field === draft.open)
      }),
  )
}

/** What comes next; `null`: the action is complete. */
export function next(choices: readonly Choice[], draft: Draft): Next | null {
  const left = possible(choices, draft)
  for (const choice of left) {
    for (const [field, domain] of Object.entries(choice.fields ?? {})) {
      if (field in draft.fields && field !== draft.open) continue
      const same = left.flatMap((other) => other.fields?.[field] ?? [])
      return {
        field,
        domain,
        values: unique(same.flatMap((each) => options(each, field, draft))),
        done: same.some((each) => ends(each, field, draft)),
      }
    }
  }
  return null
}

/** The draft with one more value; a list stays open for others. A value in a list is taken out. */
export function add(draft: Draft, { field, domain }: Next, value: Value): Draft {
  if (domain.type !== 'some') return { ...draft, fields: { ...draft.fields, [field]: value } }
  const before = picked(draft, field)
  const list = before.includes(value) ? before.filter((each) => each !== value) : [...before, value]
  return { ...draft, open: field, fields: { ...draft.fields, [field]: list } }
}

/** The draft with its list at an end. Unless their order matters, values go in the order of `of`. */
export function close(draft: Draft, { field, domain }: Next): Draft {
  const list = picked(draft, field)
  if (domain.type === 'some' && !domain.ordered) {
    list.sort((a, b) => domain.of.indexOf(a as never) - domain.of.indexOf(b as never))
  }
  return { ...draft, open: undefined, fields: { ...draft.fields, [field]: list } }
}

/** Goes on for as long as there is one answer only. */
export function advance(choices: readonly Choice[], draft: Draft): Draft {
  for (;;) {
    const step = next(choices, draft)
    if (!step || step.domain.type === 'text') return draft
    if (step.domain.type === 'some') {
      const full = step.values.every((value) => picked(draft, step.field).includes(value))
      if (!full || !step.done) return draft
      draft = close(draft, step)
    } else {
      const [only, ...more] = step.values
      if (only === undefined || more.length > 0) return draft
      draft = add(draft, step, only)
    }
  }
}

export function picked(draft: Draft, field: string): Value[] {
  const value = draft.fields[field]
  return Array.isArray(value) ? [...value] : []
}

function options(domain: Domain, field: string, draft: Draft): Value[] {
  switch (domain.type) {
    case 'one':
      return domain.of.filter((value) => !domain.unlike || draft.fields[domain.unlike] !== value)
    case 'number':
      return Array.from({ length: domain.most - domain.least + 1 }, (_, at) => domain.least + at)
    case 'text':
      return []
    case 'some': {
      const list = picked(draft, field)
      return domain.of.filter((value) => list.includes(value) || grows(domain, [...list, value]))
    }
  }
}

/** Whether a list of these values can become one that keeps the rule. */
function grows(domain: Some, list: Value[]): boolean {
  if (list.length > domain.most) return false
  if (!domain.sets || domain.whole === false) return true
  const at = list.map((value) => domain.of.indexOf(value as never))
  return domain.sets.some((set) => at.every((each) => set.includes(each)))
}

function ends(domain: Domain, field: string, draft: Draft): boolean {
  if (domain.type !== 'some') return false
  const list = picked(draft, field)
  if (list.length < domain.least || list.length > domain.most) return false
  if (!domain.sets || domain.whole === false) return true
  const at = list.map((value) => domain.of.indexOf(value as never))
  return domain.sets.some(
    (set) => set.length === at.length && at.every((each) => set.includes(each)),
  )
}

function admits(domain: Domain, value: Value | Value[], draft: Draft, open: boolean): boolean {
  switch (domain.type) {
    case 'one':
      return domain.of.includes(value as never) && draft.fields[domain.unlike ?? ''] !== value
    case 'number':
      return typeof value === 'number' && domain.least <= value && value <= domain.most
    case 'text':
      return typeof value === 'string'
    case 'some':
      return Array.isArray(value) && (open || value.length >= domain.least) && grows(domain, value)
  }
}

const unique = (values: Value[]): Value[] => [...new Set(values)]

// Where it is done

/** What actions call a thing. */
export const nameOf = (thing: Thing): Value => thing.name ?? thing.id

/** The zones where an action, or a field of it, is performed. */
export function targetsOf(scene: Scene, action: string, field = ''): string[] {
  return scene.targets?.[field ? `${action}.${field}` : action] ?? []
}

/** The things and zones in the scene that stand for a value of a field. */
export function standsFor(scene: Scene, action: string, field: string, value: Value): string[] {
  const at = targetsOf(scene, action, field)
  return scene.zones
    .filter((zone) => at.includes(zone.id))
    .flatMap((zone) => [
      ...(zone.name !== undefined && zone.name === value ? [zoneKey(zone)] : []),
      ...(zone.things ?? []).filter((thing) => nameOf(thing) === value).map(thingKey),
    ])
}

export const zoneKey = (zone: Zone): string => `zone ${zone.id}`
export const thingKey = (thing: Thing): string => `thing ${thing.id}`

/** What pressing a thing or a zone would do: the ways to begin an action, or to go on with one. */
export function presses(scene: Scene, draft: Draft | null): Map<string, Draft[]> {
  const found = new Map<string, Draft[]>()
  const choices = scene.choices ?? []
  const note = (key: string, leads: Draft): void => {
    found.set(key, [...(found.get(key) ?? []), leads])
  }
  const drafts = draft ? [draft] : actionsOf(choices).map(begin)
  for (const from of drafts) {
    const step = next(choices, from)
    if (!step) {
      for (const zone of targetsOf(scene, from.action)) note(`zone ${zone}`, from)
      continue
    }
    for (const value of step.values) {
      for (const key of standsFor(scene, from.action, step.field, value)) {
        note(key, add(from, step, value))
      }
    }
  }
  return found
}

export const actionsOf = (choices: readonly Choice[]): string[] => [
  ...new Set(choices.map(({ action }) => action)),
]

/** Whether an action, begun by a button, needs something that is not a thing on the table. */
export function isButton(scene: Scene, action: string): boolean {
  const step = next(scene.choices ?? [], begin(action))
  if (!step) return true
  return step.domain.type === 'text' || targetsOf(scene, action, step.field).length === 0
}
