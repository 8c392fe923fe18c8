import { expect, it } from 'vitest'
import { Sentences } from './sentences'

interface Examples {
  texts: Record<string, string>
  told: Record<string, string | null>
}

// `tests/test_languages.py` reads the same examples.
const [examples] = Object.values(
  import.meta.glob<Examples>('../../../../tests/data/sentences.json', {
    import: 'default',
    eager: true,
  }),
)

it('finds sentences by their patterns', () => {
  const sentences = new Sentences(
    (_, forms) => forms[0]!,
    (words) => words.join(', '),
  )
  sentences.add(examples!.texts)
  const told = Object.entries(examples!.told)
  expect(told.length).toBeGreaterThan(5)
  for (const [english, translation] of told) {
    expect(sentences.said(english), english).toBe(translation ?? english)
  }
})

it('has forms for numbers', () => {
  const sentences = new Sentences(
    (count, forms) => forms[count === 1 ? 0 : 1]!,
    (words) => words.join(', '),
  )
  sentences.add({ '{count} left': 'eine|{count} sind übrig' })
  expect(['1 left', '3 left'].map((text) => sentences.said(text))).toEqual(['eine', '3 sind übrig'])
})
