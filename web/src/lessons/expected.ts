/** What a learner is to do next, on the way to the action that a lesson expects. */
import type { Scene } from '../protocol/extras'
import type { Expected } from '../protocol/shown'
import {
  advance,
  begin,
  isPicked,
  next,
  standsFor,
  targetsOf,
  zoneKey,
  type Draft,
  type Value,
} from '../scenes/choose'

type Fields = Draft['fields']

const asList = (value: unknown): Value[] => (Array.isArray(value) ? value : [value]) as Value[]

/** Whether this is the action that is expected. The order of a list matters only where its choice
 *  says so. */
export function isExpected(
  scene: Scene,
  expected: Expected,
  action: string,
  fields: Fields,
): boolean {
  if (action !== expected.action) return false
  const names = new Set([...Object.keys(expected.fields), ...Object.keys(fields)])
  return [...names].every((name) => {
    const [is, should] = [asList(fields[name]), asList(expected.fields[name])]
    if (is.length !== should.length) return false
    return isOrdered(scene, action, name)
      ? is.every((value, at) => value === should[at])
      : is.every((value) => should.includes(value))
  })
}

function isOrdered(scene: Scene, action: string, field: string): boolean {
  return (scene.choices ?? []).some((choice) => {
    const domain = choice.action === action ? choice.fields?.[field] : undefined
    return domain?.type === 'some' && domain.ordered === true
  })
}

/**
 * What to press now, as the keys of things (`thing …`), zones (`zone …`), actions (`action …`) and
 * values (`value …`). `picked` are the ids of the things that were picked before an action.
 */
export function nextKeys(
  scene: Scene,
  expected: Expected,
  draft: Draft | null,
  picked: readonly string[],
): string[] {
  const { action } = expected
  if (draft && draft.action !== action) return ['cancel']
  if (draft) {
    const step = next(scene.choices ?? [], draft)
    if (!step) return []
    const done = asList(draft.fields[step.field] ?? [])
    const left = asList(expected.fields[step.field]).filter((value) => !done.includes(value))
    return left.length === 0
      ? ['done']
      : left.flatMap((value) => keysOf(scene, action, step.field, value))
  }
  const first = firstPressed(scene, expected)
  if (first.length > 0) return withPiles(scene, first)
  const keys: string[] = []
  for (const [field, value] of Object.entries(expected.fields)) {
    const left = asList(value)
      .flatMap((one) => standsFor(scene, action, field, one))
      .filter((key) => !picked.includes(key.slice('thing '.length)))
    keys.push(...(isOrdered(scene, action, field) ? left.slice(0, 1) : left))
  }
  const things = keys.filter((key) => key.startsWith('thing '))
  if (things.length > 0) return withPiles(scene, things)
  // The button of an action that is done by pressing a zone can't be pressed before.
  if (keys.length > 0 && picked.length === 0) return keys
  const values = Object.entries(expected.fields)
    .filter(([field]) => targetsOf(scene, action, field).length === 0)
    .map(([, value]) => `value ${value}`)
  return [
    `action ${action}`,
    ...values,
    ...keys,
    ...targetsOf(scene, action).map((id) => `zone ${id}`),
  ]
}

/** The keys for the first value that is open, where things are pressed and not picked: the fields
 *  of an action are asked for in their order. */
function firstPressed(scene: Scene, { action, fields }: Expected): string[] {
  const choices = scene.choices ?? []
  const step = next(choices, advance(choices, begin(action)))
  if (!step || scene.zones.some((zone) => isPicked(scene, zone))) return []
  return standsFor(scene, action, step.field, fields[step.field] as Value)
}

function keysOf(scene: Scene, action: string, field: string, value: Value): string[] {
  const keys = standsFor(scene, action, field, value)
  return keys.length > 0 ? keys : [`value ${value}`]
}

/** A thing on top of a pile is pressed by pressing the pile. */
function withPiles(scene: Scene, keys: string[]): string[] {
  const piles = scene.zones.filter(
    ({ look, things = [] }) =>
      look === 'pile' && things.some(({ id }) => keys.includes(`thing ${id}`)),
  )
  return [...keys, ...piles.map(zoneKey)]
}
