import { describe, expect, it } from 'vitest'
import { Cards } from './cards.svelte'
import { allCards } from './recorded'
import {
  answersIn,
  cleaned,
  filled,
  gapsIn,
  languagesOf,
  nameOfLanguage,
  piecesOf,
  wording,
} from './texts'

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

describe('a move', () => {
  const both = (text: string, pick: number, ...answers: string[]): void => {
    const told = filled(text, pick, (at) => answers[at] ?? '')
    expect(answersIn(told, text, pick)).toEqual(answers)
  }

  it('has a black card with its answers', () => {
    expect(filled('______ and ______!', 2, (at) => `duck ${at}`)).toBe('duck 0 and duck 1!')
    expect(filled('Why?', 2, (at) => `Duck ${at}`)).toBe('Why? Duck 0. Duck 1.')
    both('First ______, then ______.', 2, 'a duck', 'soup. Cold soup')
    both('______', 1, 'A duck')
    both('Why?', 2, 'A duck', 'Cold soup')
  })

  it('may be about another card', () => {
    expect(answersIn('First a duck.', 'First ______, then ______.', 2)).toBeNull()
    expect(answersIn('First , then soup.', 'First ______, then ______.', 2)).toBeNull()
    expect(answersIn('Then a duck', 'First ______', 1)).toBeNull()
    expect(answersIn('First', 'First ______', 1)).toBeNull()
  })

  it('is told in the language that one reads the cards in', () => {
    const cards = new Cards()
    cards.language = 'de'
    const black = { en: '______ is late.', de: '______ kommt zu spät.' }
    const [pack] = allCards.packs
    cards.packs = [
      { ...pack!, cards: [...pack!.cards, { id: 'b_late', content: black, flags: [], pick: 1 }] },
    ]
    expect(cards.told('A duck is late.')).toBe('Eine Ente kommt zu spät.')
    expect(cards.told('My own words is late.')).toBe('My own words kommt zu spät.')
    expect(cards.told('A duck / Cold soup')).toBe('Eine Ente / Cold soup')
    expect(cards.told('Somebody else')).toBe('Somebody else')
  })
})
