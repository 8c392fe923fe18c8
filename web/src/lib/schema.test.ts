import { describe, expect, it } from 'vitest'
import type { Schema } from './api'
import { asWords, fieldsOf, nameSetting, withSetting, without } from './schema'

describe('a settings form', () => {
  const schema = {
    $ref: '#/$defs/Settings',
    $defs: {
      Settings: {
        type: 'object',
        properties: {
          ace_rank: { enum: ['low', 'high'], default: 'low', description: 'Where aces stand.' },
          jokers: { type: 'boolean', default: false },
          limit: {
            anyOf: [{ enum: [3, 4] }, { type: 'null' }],
            default: null,
            description: 'The most cards.',
          },
          seconds: { type: 'integer', minimum: 0, maximum: 60 },
          pause: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }], default: null },
          seed: { type: 'string', pattern: '^[a-z]*$' },
          rules: { $ref: '#/$defs/Rules', description: 'Its own.' },
        },
      },
      Rules: {
        type: 'object',
        description: 'Anybody’s.',
        properties: { snapRace: { type: 'boolean' } },
      },
    },
  }

  it('has a field for every setting, of its kind', () => {
    expect(fieldsOf(schema).map((field) => [field.key, field.kind])).toEqual([
      ['ace_rank', 'choice'],
      ['jokers', 'switch'],
      ['limit', 'choice'],
      ['seconds', 'number'],
      ['pause', 'number'],
      ['seed', 'text'],
      ['rules', 'group'],
    ])
  })

  it('offers every value, also none where none is one', () => {
    const limit = fieldsOf(schema, { limit: { values: { null: 'No limit' } } }).find(
      (field) => field.key === 'limit',
    )
    expect(limit).toMatchObject({
      help: 'The most cards.',
      options: [
        { value: 3, label: '3' },
        { value: 4, label: '4' },
        { value: null, label: 'No limit' },
      ],
    })
  })

  it('keeps bounds, and reads what stands beside a reference before what it refers to', () => {
    const fields = fieldsOf(schema)
    expect(fields.find((field) => field.key === 'seconds')).toMatchObject({
      min: 0,
      max: 60,
      optional: false,
    })
    expect(fields.find((field) => field.key === 'pause')).toMatchObject({
      min: 0,
      max: null,
      optional: true,
    })
    expect(fields.find((field) => field.key === 'rules')).toMatchObject({
      help: 'Its own.',
      fields: [{ key: 'snapRace', kind: 'switch', label: 'Snap race' }],
    })
  })

  it('makes words of names', () => {
    expect(asWords('allowDrawFromDiscardPile')).toBe('Allow draw from discard pile')
    expect(asWords('prev_winner')).toBe('Prev winner')
  })

  it('changes one setting, however deep, and nothing else', () => {
    const before = { a: 1, rules: { x: true, y: { z: 1 } } }
    expect(withSetting(before, ['rules', 'y', 'z'], 2)).toEqual({
      a: 1,
      rules: { x: true, y: { z: 2 } },
    })
    expect(before.rules.y.z).toBe(1)
  })
})

const named: Schema = {
  $ref: '#/$defs/Settings',
  $defs: {
    Settings: {
      type: 'object',
      properties: {
        title: { type: 'string', names_table: true },
        pace: { type: 'integer' },
      },
    },
  },
}

it('finds the setting that names a table, and leaves it out of the others', () => {
  expect(nameSetting(named)).toBe('title')
  expect(nameSetting({ type: 'object', properties: { title: { type: 'string' } } })).toBeNull()
  expect(fieldsOf(without(named, 'title')).map(({ key }) => key)).toEqual(['pace'])
  expect(fieldsOf(without(named, null)).map(({ key }) => key)).toEqual(['title', 'pace'])
})
