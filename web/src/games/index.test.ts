import { expect, it, vi } from 'vitest'
import type { GameInfo } from '../lib/api'
import { moduleOf } from '.'

const known = new Map<string, GameInfo>()
vi.mock('../lib/visitor.svelte', () => ({ visitor: { game: (id: string) => known.get(id) } }))

const game = (id: string, scenes: boolean, ...sockets: string[]): void => {
  known.set(id, { id, scenes, sockets, brings: [] } as unknown as GameInfo)
}

it('draws a game from outside that has scenes and speaks the plain protocol', () => {
  game('dice', true, '/plain/dice')
  game('tricks', true, '/tricks', '/plain/tricks')
  game('mute', true, '/mute')
  game('bare', false, '/plain/bare')
  expect(moduleOf('dice')).toBeDefined()
  expect(moduleOf('tricks')).toBeDefined()
  // The page could not connect to its tables, or would have nothing to show there.
  expect(moduleOf('mute')).toBeUndefined()
  expect(moduleOf('bare')).toBeUndefined()
  expect(moduleOf('unknown')).toBeUndefined()
})
