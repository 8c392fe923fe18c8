import { describe, expect, it } from 'vitest'
import { codeFrom, eveningFrom } from './code'

describe('a table’s code', () => {
  it.each([
    '123456',
    ' 123 456 ',
    '123-456',
    'https://example.org/table/rummy/123456',
    '/table/123456?watch',
  ])('is read from %j', (text) => {
    expect(codeFrom(text)).toBe('123456')
  })

  it.each(['', '12345', '1234567', 'abcdef', 'https://example.org/'])(
    'is not found in %j',
    (text) => {
      expect(codeFrom(text)).toBeNull()
    },
  )
})

describe('the code of a game night', () => {
  it.each(['BCDFGH', ' bcd fgh ', 'https://example.org/evening/BCDFGH'])(
    'is read from %j',
    (text) => {
      expect(eveningFrom(text)).toBe('BCDFGH')
    },
  )

  it.each(['BCDFG', 'BCDFGHJ', 'ABCDEF', '123456', ''])('is not found in %j', (text) => {
    expect(eveningFrom(text)).toBeNull()
  })
})
