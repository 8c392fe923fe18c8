import { expect, it } from 'vitest'
import type { Overview } from '../protocol/operator'
import { bytes, loadOf } from './figures'

const at = (seconds: number, figures: Overview['figures']): Overview => ({
  version: '1',
  node: '',
  at: seconds * 1000,
  figures,
  faults: [],
  notice: '',
})

it('adds up what has labels, and makes rates of what is counted', () => {
  const before = at(10, [
    { name: 'parlour_actions_total', labels: { game: 'a' }, value: 100 },
    { name: 'process_cpu_seconds_total', value: 4 },
  ])
  const now = at(20, [
    { name: 'parlour_connections', labels: { wire: 'a' }, value: 2 },
    { name: 'parlour_connections', labels: { wire: 'b' }, value: 3 },
    { name: 'parlour_actions_total', labels: { game: 'a' }, value: 140 },
    { name: 'parlour_actions_total', labels: { game: 'b' }, value: 10 },
    { name: 'process_cpu_seconds_total', value: 9 },
    { name: 'parlour_rejected_messages_total', labels: { game: 'a', code: 'x' }, value: 1 },
    { name: 'parlour_rejected_messages_total', labels: { game: 'a', code: 'y' }, value: 7 },
    { name: 'parlour_rejected_messages_total', labels: { game: 'b', code: 'z' }, value: 0 },
  ])
  const load = loadOf(now, before)
  expect(load.connections).toBe(5)
  expect(load.actions).toBe(5)
  expect(load.processor).toBe(0.5)
  expect(load.memory).toBeNull()
  expect(load.refused).toEqual([
    ['a y', 7],
    ['a x', 1],
  ])
  expect(loadOf(now, null).actions).toBeNull()
})

it('shows no negative rate after a restart', () => {
  const before = at(10, [{ name: 'parlour_actions_total', value: 100 }])
  expect(loadOf(at(20, [{ name: 'parlour_actions_total', value: 1 }]), before).actions).toBe(0)
})

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1500, '1.5 kB'],
  [12_345_678, '12 MB'],
  [3.2e15, '3200 TB'],
])('writes %d bytes as %s', (count, text) => {
  expect(bytes(count)).toBe(text)
})
