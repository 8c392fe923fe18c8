import { expect, it } from 'vitest'
import { capitalized } from './text'

it('begins a sentence with a capital', () => {
  expect(['your card', ''].map(capitalized)).toEqual(['Your card', ''])
})
