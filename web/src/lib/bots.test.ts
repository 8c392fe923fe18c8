import { beforeEach, describe, expect, it, vi } from 'vitest'

const kept = new Map<string, string>()

beforeEach(() => {
  kept.clear()
  vi.resetModules()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  })
})

describe('the strength of bots', () => {
  const all = ['easy', 'normal', 'hard']

  it('is normal until somebody chooses, and then remembered', async () => {
    const { botChoice } = await import('./bots.svelte')
    expect(botChoice.of(all)).toBe('normal')
    botChoice.choose('easy')
    expect(botChoice.of(all)).toBe('easy')
    vi.resetModules()
    const again = await import('./bots.svelte')
    expect(again.botChoice.of(all)).toBe('easy')
  })

  it('is the strongest a game has, where it has not the one that was chosen', async () => {
    const { botChoice } = await import('./bots.svelte')
    expect(botChoice.of(['hard'])).toBe('hard')
    expect(botChoice.of([])).toBe('')
  })
})
