import { expect, it } from 'vitest'
import { optionsOf } from './overlay'

it('an overlay is asked for in its address', () => {
  expect(optionsOf('')).toEqual({ size: 1, theme: 'dark', talk: true })
  expect(optionsOf('?size=1.5&theme=light&talk=off')).toEqual({
    size: 1.5,
    theme: 'light',
    talk: false,
  })
  expect(optionsOf('?size=1000').size).toBe(4)
  expect(optionsOf('?size=0.01').size).toBe(0.4)
  for (const wrong of ['big', '-1', '0', 'NaN', ''])
    expect(optionsOf(`?size=${wrong}`).size).toBe(1)
})
