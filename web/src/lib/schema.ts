/** A settings form read off a JSON Schema: the game's own types are the only list of its settings. */
import { mark, said } from './messages'
import type { Schema, SettingsValues } from './api'

export interface Option {
  value: string | number | null
  label: string
}

interface Common {
  key: string
  label: string
  help: string
}

export type Field = Common &
  (
    | { kind: 'switch' }
    | { kind: 'choice'; options: Option[] }
    | { kind: 'number'; min: number | null; max: number | null; optional: boolean }
    | { kind: 'text'; pattern: string | null }
    | { kind: 'group'; fields: Field[] }
  )

/** Labels and explanations for settings, and words for their values, by the protocol's names. */
export type SettingWords = Record<
  string,
  { label?: string; help?: string; values?: Record<string, string> }
>

export function fieldsOf(schema: Schema, words: SettingWords = {}): Field[] {
  const definitions = (schema['$defs'] ?? {}) as Record<string, Schema>
  return properties(schema, definitions, words)
}

/** "allowDrawFromDiscardPile", "prev_winner" → "Allow draw from discard pile", "Prev winner". */
export function asWords(name: string): string {
  const spaced = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase()
    .trim()
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

/** `values` with one setting changed, however deep it lies; nothing else is touched. */
export function withSetting(
  values: SettingsValues,
  path: readonly string[],
  value: unknown,
): SettingsValues {
  const [key, ...rest] = path
  if (key === undefined) return values
  if (rest.length === 0) return { ...values, [key]: value }
  return { ...values, [key]: withSetting((values[key] ?? {}) as SettingsValues, rest, value) }
}

/** The properties at the top of a schema. */
function topOf(schema: Schema): Record<string, Schema> {
  const definitions = (schema['$defs'] ?? {}) as Record<string, Schema>
  return (resolved(schema, definitions)['properties'] ?? {}) as Record<string, Schema>
}

/** The setting that names a table, in a game that has one. */
export const nameSetting = (schema: Schema): string | null =>
  Object.entries(topOf(schema)).find(([, property]) => property['names_table'] === true)?.[0] ??
  null

/** The schema without one of its settings. */
export const without = (schema: Schema, setting: string | null): Schema => ({
  $defs: schema['$defs'],
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(topOf(schema)).filter(([name]) => name !== setting),
  ),
})

function resolved(schema: Schema, definitions: Record<string, Schema>): Schema {
  const reference = schema['$ref']
  if (typeof reference !== 'string') return schema
  const target = definitions[reference.split('/').pop() ?? ''] ?? {}
  // Keywords beside a reference (a description, say) override those of its target.
  return { ...target, ...schema }
}

function properties(
  schema: Schema,
  definitions: Record<string, Schema>,
  words: SettingWords,
): Field[] {
  const all = (resolved(schema, definitions)['properties'] ?? {}) as Record<string, Schema>
  return Object.entries(all).flatMap(
    ([key, property]) => field(key, property, definitions, words) ?? [],
  )
}

function field(
  key: string,
  raw: Schema,
  definitions: Record<string, Schema>,
  words: SettingWords,
): Field | null {
  const { schema, optional } = withoutNull(resolved(raw, definitions), definitions)
  const own = words[key]
  const common: Common = {
    key,
    label: said(own?.label ?? asWords(key)),
    help: said(own?.help ?? String(schema['description'] ?? '')),
  }
  if (Array.isArray(schema['enum'])) {
    const values = [...(schema['enum'] as Option['value'][]), ...(optional ? [null] : [])]
    const options = values.map((value) => ({
      value,
      label: said(
        own?.values?.[String(value)] ??
          (value === null ? mark('None') : value === '' ? '–' : asWords(String(value))),
      ),
    }))
    return { ...common, kind: 'choice', options }
  }
  switch (schema['type']) {
    case 'boolean':
      return { ...common, kind: 'switch' }
    case 'integer':
    case 'number':
      return {
        ...common,
        kind: 'number',
        min: bound(schema['minimum']),
        max: bound(schema['maximum']),
        optional,
      }
    case 'string':
      return {
        ...common,
        kind: 'text',
        pattern: typeof schema['pattern'] === 'string' ? schema['pattern'] : null,
      }
    case 'object':
      return { ...common, kind: 'group', fields: properties(schema, definitions, words) }
    default:
      return null
  }
}

/** `anyOf: [x, null]` is x, and may be left out. */
function withoutNull(
  schema: Schema,
  definitions: Record<string, Schema>,
): { schema: Schema; optional: boolean } {
  const choices = schema['anyOf']
  if (!Array.isArray(choices)) return { schema, optional: false }
  const rest = (choices as Schema[]).filter((choice) => choice['type'] !== 'null')
  const only = rest.length === 1 && rest[0] ? resolved(rest[0], definitions) : {}
  return { schema: { ...only, ...schema }, optional: rest.length < choices.length }
}

const bound = (value: unknown): number | null => (typeof value === 'number' ? value : null)
