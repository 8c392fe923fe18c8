import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Scene } from '../../protocol/extras'
import { Glances } from './glances.svelte'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const table = (faces: (string | null)[], awaits = [0]): Scene => ({
  viewer: 0,
  seats: [],
  zones: [
    {
      id: 'hand 0',
      label: 'Your cards',
      look: 'row',
      things: faces.map((face, at) => ({ id: `c${at}`, ...(face && { face }) })),
    },
  ],
  prompt: '',
  awaits,
})

function looking(...scenes: Scene[]): Glances {
  const glances = new Glances()
  for (const scene of scenes) glances.see(scene)
  return glances
}

it('a card that was looked at stays up for a moment', () => {
  const glances = looking(table([null, null]), table([null, '5♣']), table([null, null]))
  expect(glances.shown['c1']?.face).toBe('5♣')
  vi.advanceTimersByTime(4400)
  expect(Object.keys(glances.shown)).toEqual(['c1'])
  vi.advanceTimersByTime(200)
  expect(glances.shown).toEqual({})
})

it('a card that was moved is forgotten at once', () => {
  const glances = looking(table([null, '5♣']), table([null, null]))
  const [zone] = table([null, null]).zones
  glances.see({ ...table([]), zones: [{ ...zone!, things: zone!.things!.toReversed() }] })
  expect(glances.shown).toEqual({})
})

it('the first look ends for all at the same time', () => {
  const glances = looking(table(['2♦', '5♣'], []), table([null, null], [0]))
  expect(glances.shown).toEqual({})
})
