import { expect, test } from 'vitest'
import { lettersFor } from './letters'

test('a key is an initial, then another letter, then a digit; none is used twice', () => {
  expect(lettersFor(['Deck', 'Discard pile', 'Dd', '?'], 'fo')).toEqual(['d', 'p', '1', '2'])
  expect(lettersFor(['Find', 'Fold'], 'fo')).toEqual(['i', 'l'])
})
