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

function picked(draft: Draft, field: string): Value[] {
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

const ends = (domain: Domain, field: string, draft: Draft): boolean =>
  domain.type === 'some' && complete(domain, picked(draft, field))

/** Whether a list of these values keeps the rule. */
function complete(domain: Some, list: Value[]): boolean {
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
      return Array.isArray(value) && (open ? grows(domain, value) : complete(domain, value))
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
export function presses(scene: Scene, drafts: readonly Draft[]): Map<string, Draft[]> {
  const found = new Map<string, Draft[]>()
  const choices = scene.choices ?? []
  const note = (key: string, leads: Draft): void => {
    found.set(key, [...(found.get(key) ?? []), leads])
  }
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

/**
 * The ways to begin an action: a choice may leave only one value for its first fields, and nothing
 * on the table may stand for them. These are filled in.
 */
export function beginnings(scene: Scene): Draft[] {
  const drafts = (scene.choices ?? []).map((choice) => {
    let draft = begin(choice.action)
    for (;;) {
      const step = next([choice], draft)
      const [only, ...more] = step?.values ?? []
      const open = only === undefined || more.length > 0 || step?.domain.type !== 'one'
      if (open || targetsOf(scene, choice.action, step.field).length > 0) return draft
      draft = add(draft, step, only)
    }
  })
  const different = new Map(drafts.map((draft) => [JSON.stringify(draft), draft]))
  return [...different.values()]
}

/** Whether nobody waits for this action. */
export function isOptional(scene: Scene, action: string): boolean {
  const choices = (scene.choices ?? []).filter((choice) => choice.action === action)
  return choices.length > 0 && choices.every(({ optional }) => optional)
}

/** The zone a thing lies in. */
export const zoneOf = (scene: Scene, id: string): Zone | undefined =>
  scene.zones.find(({ things = [] }) => things.some((thing) => thing.id === id))

/** The actions of which a field is filled by things in this zone. */
export const actionsAt = (scene: Scene, zone: Zone): string[] => [
  ...new Set(
    Object.entries(scene.targets ?? {})
      .filter(([target, at]) => target.includes('.') && at.includes(zone.id))
      .map(([target]) => target.slice(0, target.indexOf('.'))),
  ),
]

/**
 * Whether things in this zone are first picked and then used, because they can be used in several
 * ways or several at a time. Elsewhere pressing a thing is enough.
 */
export const isPicked = (scene: Scene, zone: Zone): boolean =>
  hasSeveralUses(scene, zone) ||
  (scene.choices ?? []).some(({ action, fields = {} }) =>
    Object.entries(fields).some(
      ([field, { type }]) => type === 'some' && targetsOf(scene, action, field).includes(zone.id),
    ),
  )

/** Whether a thing in this zone may be meant for more than one action that is waited for. */
export const hasSeveralUses = (scene: Scene, zone: Zone): boolean =>
  actionsAt(scene, zone).filter((action) => !isOptional(scene, action)).length > 1

/** The ways in which exactly these things are used by an action; other fields are still open. */
export function uses(scene: Scene, action: string, ids: readonly string[]): Draft[] {
  if (ids.length === 0) return []
  const drafts = (scene.choices ?? [])
    .filter((choice) => choice.action === action)
    .flatMap((choice) => {
      const draft = spent(scene, choice, ids)
      return draft && possible([choice], draft).length > 0 ? [draft] : []
    })
  const different = new Map(drafts.map((draft) => [JSON.stringify(draft.fields), draft]))
  return [...different.values()]
}

/** The fields of a choice filled with things, by where they lie; `null`: some are left over. */
export function spent(scene: Scene, choice: Choice, ids: readonly string[]): Draft | null {
  let left = ids.map((id) => ({ id, zone: zoneOf(scene, id) }))
  let draft = begin(choice.action)
  for (const [field, domain] of Object.entries(choice.fields ?? {})) {
    const at = targetsOf(scene, choice.action, field)
    const here = left.filter(({ zone }) => zone && at.includes(zone.id))
    const taken = domain.type === 'some' ? here : here.slice(0, 1)
    if (taken.length === 0) continue
    const names = taken.map(({ id, zone }) => nameOf(zone!.things!.find((one) => one.id === id)!))
    const value = domain.type === 'some' ? names : names[0]!
    draft = { ...draft, fields: { ...draft.fields, [field]: value } }
    if (domain.type === 'some') draft = close(draft, { field, domain, values: [], done: true })
    left = left.filter((one) => !taken.includes(one))
  }
  return left.length === 0 ? draft : null
}

/** Every list of things that the choices name, the longest first, for who looks for a meld. */
export function finds(scene: Scene): string[][] {
  const lists = (scene.choices ?? []).flatMap(({ action, fields = {} }) =>
    Object.entries(fields).flatMap(([field, domain]) => {
      if (domain.type !== 'some' || !domain.sets) return []
      const at = targetsOf(scene, action, field)
      const things = scene.zones.flatMap(({ id, things = [] }) => (at.includes(id) ? things : []))
      return domain.sets.map((set) =>
        set.flatMap((place) => things.find((one) => nameOf(one) === domain.of[place])?.id ?? []),
      )
    }),
  )
  const different = new Map(lists.map((ids) => [ids.join(), ids]))
  return [...different.values()].sort((a, b) => b.length - a.length)
}

/** Whether there is a button for an action. Others are begun by pressing a thing or a zone. */
export function isButton(scene: Scene, action: string): boolean {
  if (isOptional(scene, action)) return true
  const choices = (scene.choices ?? []).filter((choice) => choice.action === action)
  const step = next(choices, begin(action))
  if (!step || step.domain.type === 'text') return true
  const at = targetsOf(scene, action, step.field)
  return (
    at.length === 0 || scene.zones.some((zone) => at.includes(zone.id) && isPicked(scene, zone))
  )
}
