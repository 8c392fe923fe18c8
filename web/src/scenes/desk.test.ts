import { expect, test, vi } from 'vitest'
import type { Scene } from '../protocol/extras'
import { SceneDesk } from './desk.svelte'

const SCENE: Scene = {
  viewer: 0,
  seats: [{ seat: 0 }, { seat: 1 }],
  zones: [
    { id: 'stock', label: 'Stock', look: 'pile', more: 20 },
    { id: 'hand', label: 'Your hand', look: 'hand', things: [{ id: 't1', face: '8♥', name: 0 }] },
  ],
  prompt: 'It is {0}’s turn, then {1}’s.',
  targets: { draw: ['stock'], 'play.index': ['hand'] },
  choices: [
    { action: 'draw' },
    {
      action: 'play',
      fields: { index: { type: 'one', of: [0] }, suit: { type: 'one', of: ['hearts', 'clubs'] } },
    },
  ],
}

test('an action goes out as soon as it is complete', () => {
  const act = vi.fn()
  const desk = new SceneDesk({ act })
  desk.take(SCENE)
  desk.press('zone stock')
  expect(act).toHaveBeenLastCalledWith('draw', {})
  desk.press('thing t1')
  expect(act).toHaveBeenCalledTimes(1)
  desk.choose('clubs')
  expect(act).toHaveBeenLastCalledWith('play', { index: 0, suit: 'clubs' })
})

test('another scene drops what was begun, the same one keeps it', () => {
  const desk = new SceneDesk({ act: vi.fn() })
  desk.take(SCENE)
  desk.press('thing t1')
  desk.take(SCENE)
  expect(desk.draft?.action).toBe('play')
  desk.take({ ...SCENE, choices: [] })
  expect(desk.draft).toBeNull()
})

test('who only looks can press nothing and is not waited for', () => {
  const desk = new SceneDesk()
  desk.take(SCENE)
  expect(desk.presses.size).toBe(0)
  expect(desk.mine).toBe(false)
})

test('texts name the players', () => {
  const desk = new SceneDesk()
  desk.sitters = { 0: { name: 'Ada' } }
  expect(desk.text(SCENE.prompt)).toBe('It is Ada’s turn, then somebody’s.')
})
