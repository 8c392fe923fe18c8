import { expect, test } from 'vitest'
import type { Scene } from '../protocol/extras'
import { changed, NOTHING_DRAWN, withScene } from './fold'

const SCENE: Scene = {
  viewer: 0,
  seats: [{ seat: 0 }],
  zones: [
    { id: 'a', label: 'A', look: 'pile' },
    { id: 'b', label: 'B', look: 'pile' },
  ],
  prompt: 'Draw.',
}

test('a change replaces fields and zones, and drops zones that are not listed any more', () => {
  const next = changed(SCENE, {
    fields: { prompt: 'Wait.' },
    zones: [{ id: 'c', label: 'C', look: 'row' }],
    order: ['c', 'a'],
  })
  expect(next.prompt).toBe('Wait.')
  expect(next.zones.map(({ id }) => id)).toEqual(['c', 'a'])
})

test('a change without zones leaves them as they were', () => {
  const next = changed(SCENE, { fields: {}, zones: [], order: [] })
  expect(next.zones).toEqual(SCENE.zones)
})

test('a scene that cannot be drawn leaves its reason, until one can', () => {
  const none = withScene({ scene: SCENE, trouble: '' }, { type: 'extras_no_scene', message: 'No.' })
  expect(none).toEqual({ scene: null, trouble: 'No.' })
  expect(withScene(none, { type: 'extras_scene', scene: SCENE, moves: [], names: [] })).toEqual({
    scene: SCENE,
    trouble: '',
  })
  expect(NOTHING_DRAWN.scene).toBeNull()
})
