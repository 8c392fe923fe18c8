import { expect, it } from 'vitest'
import { changeable } from './settings'

it('leaves out what can not be changed at a table that is open', () => {
  const schema = {
    $ref: '#/$defs/Settings',
    $defs: { Settings: { type: 'object', properties: { bot_count: {}, max_points: {} } } },
  }
  expect(changeable(schema)).toEqual({
    $ref: '#/$defs/Settings',
    $defs: { Settings: { type: 'object', properties: { max_points: {} } } },
  })
  expect(schema.$defs.Settings.properties).toHaveProperty('bot_count')
})
