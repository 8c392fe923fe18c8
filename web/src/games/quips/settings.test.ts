import { expect, it } from 'vitest'
import { fieldsOf } from '../../lib/schema'
import { changeable } from './settings'

it('leaves out what can not be changed at a table that is open', () => {
  const number = { type: 'integer' }
  const schema = {
    $ref: '#/$defs/Settings',
    $defs: { Settings: { type: 'object', properties: { bot_count: number, max_points: number } } },
  }
  expect(fieldsOf(changeable(schema)).map(({ key }) => key)).toEqual(['max_points'])
  expect(schema.$defs.Settings.properties).toHaveProperty('bot_count')
})
