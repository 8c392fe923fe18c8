import { expect, it } from 'vitest'
import { fieldsOf } from '../../lib/schema'
import { changeable } from './settings'

it('offers only what can be changed once the table stands', () => {
  const schema = {
    $ref: '#/$defs/Settings',
    $defs: {
      Settings: {
        type: 'object',
        properties: {
          gameMode: { enum: ['custom'] },
          name: { type: 'string' },
          houseRules: { $ref: '#/$defs/HouseRules' },
        },
      },
      HouseRules: { type: 'object', properties: { snapRace: { type: 'boolean' } } },
    },
  }
  expect(fieldsOf(changeable(schema))).toMatchObject([
    { key: 'houseRules', fields: [{ key: 'snapRace', kind: 'switch' }] },
  ])
})
