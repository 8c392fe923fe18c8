import { describe, expect, it } from 'vitest'
import { cleaned, gapsIn, languagesOf, nameOfLanguage, piecesOf, wording } from './texts'

describe('a text', () => {
  it('is in the wanted language, or in the nearest there is', () => {
    const texts = { en: 'A duck', de: 'Eine Ente', 'de-AT': 'A Antn' }
    expect(wording(texts, 'de-AT')).toEqual({ text: 'A Antn', lang: 'de-AT' })
    expect(wording(texts, 'de-CH')).toEqual({ text: 'Eine Ente', lang: 'de' })
    expect(wording(texts, 'fr')).toEqual({ text: 'A duck', lang: 'en' })
    expect(wording({ fr: 'Un canard' }, 'de')).toEqual({ text: 'Un canard', lang: 'fr' })
    expect(wording({}, 'de')).toEqual({ text: '', lang: '' })
  })

  it('comes in these languages, English first', () => {
    expect(
      languagesOf([
        { de: '', en: '' },
        { 'de-AT': '', cs: '' },
      ]),
    ).toEqual(['en', 'cs', 'de'])
    expect(nameOfLanguage('de')).toBe('Deutsch')
    expect(nameOfLanguage('not a tag')).toBe('not a tag')
  })
})

describe('a black card', () => {
  it('has gaps where it has underscores, in their order', () => {
    expect(piecesOf('First ______, then ________.', 2)).toEqual([
      { words: 'First ' },
      { gap: 0 },
      { words: ', then ' },
      { gap: 1 },
      { words: '.' },
    ])
    expect(gapsIn('First ______, then ________.')).toBe(2)
  })

  it('that asks has its gaps behind its words', () => {
    expect(piecesOf('What is it?', 2)).toEqual([{ words: 'What is it?' }, { gap: 0 }, { gap: 1 }])
  })

  it('with more gaps than answers leaves the rest as they are written', () => {
    expect(piecesOf('______ and ______', 1)).toEqual([
      { gap: 0 },
      { words: ' and ' },
      { words: '______' },
    ])
  })
})

describe('a card one writes oneself', () => {
  it('is cleaned of what the server would drop', () => {
    expect(cleaned('  a <b>\n bold  duck ')).toBe('a b> bold duck')
    expect(cleaned(' < ')).toBe('')
  })
})
