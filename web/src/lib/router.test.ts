import { describe, expect, it } from 'vitest'
import { learnPath, overlayPath, parseRoute, tablePath } from './router.svelte'

describe('an address', () => {
  it('leads to the hall, a table, a board of one’s own, or nowhere', () => {
    expect(parseRoute('/')).toEqual({ page: 'hall' })
    expect(parseRoute('/table/rummy/123456')).toEqual({
      page: 'table',
      game: 'rummy',
      code: '123456',
      watch: false,
    })
    expect(parseRoute('/table/123456')).toEqual({ page: 'find', code: '123456' })
    expect(parseRoute('/replay/4f-2', '?at=57')).toEqual({ page: 'replay', id: '4f-2' })
    expect(parseRoute('/evening/BCDFGH')).toEqual({ page: 'evening', code: 'BCDFGH' })
    expect(parseRoute('/play/mo')).toEqual({ page: 'play', game: 'mo' })
    expect(parseRoute('/learn/rummy')).toEqual({ page: 'learn', game: 'rummy', lesson: '' })
    expect(parseRoute(learnPath('rummy', 'first'))).toEqual({
      page: 'learn',
      game: 'rummy',
      lesson: 'first',
    })
    expect(parseRoute('/quips/123456/screen')).toEqual({
      page: 'screen',
      game: 'quips',
      code: '123456',
    })
    expect(parseRoute(overlayPath('onu', 'the.lounge'))).toEqual({
      page: 'overlay',
      game: 'onu',
      channel: 'the.lounge',
    })
    expect(parseRoute('/table/quips/screen')).toMatchObject({ page: 'table', code: 'screen' })
    expect(parseRoute('/api/games')).toEqual({ page: 'nowhere' })
    expect(parseRoute('/%zz')).toEqual({ page: 'nowhere' })
  })

  it('comes back to the same table', () => {
    const [path, search] = tablePath('rummy', '123456', true).split('?')
    expect(parseRoute(path!, `?${search}`)).toEqual({
      page: 'table',
      game: 'rummy',
      code: '123456',
      watch: true,
    })
  })
})
