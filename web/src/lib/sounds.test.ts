import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { notify } from './notify'
import { preferences } from './preferences.svelte'
import { play, TONES, type Sound } from './sounds'

let started: number[]
let shown: string[]

beforeEach(() => {
  started = []
  shown = []
  const gain = {
    setValueAtTime() {},
    linearRampToValueAtTime() {},
    exponentialRampToValueAtTime() {},
  }
  vi.stubGlobal('document', { hidden: false })
  vi.stubGlobal(
    'AudioContext',
    class {
      state = 'running'
      currentTime = 0
      createGain = () => ({ gain, connect() {} })
      createOscillator = () => ({
        frequency: { value: 0 },
        connect() {},
        start: (at: number) => started.push(at),
        stop() {},
      })
    },
  )
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal(
    'Notification',
    class {
      static permission = 'granted'
      constructor(title: string) {
        shown.push(title)
      }
    },
  )
})

afterEach(() => {
  vi.unstubAllGlobals()
  preferences.sounds = false
  preferences.notifications = false
})

describe('sounds', () => {
  it('are off until somebody wants them', () => {
    play('turn')
    expect(started).toEqual([])
    preferences.sounds = true
    play('turn')
    expect(started).toHaveLength(TONES.turn.length)
  })

  it('of cards are not played to somebody who looks elsewhere, but that of their turn is', () => {
    preferences.sounds = true
    vi.stubGlobal('document', { hidden: true })
    play('card')
    expect(started).toEqual([])
    play('turn')
    expect(started).not.toEqual([])
  })

  it.each(Object.keys(TONES) as Sound[])('%s is short and not loud', (sound) => {
    const end = Math.max(...TONES[sound].map(({ at, long }) => at + long))
    expect(end).toBeLessThan(0.8)
    expect(Math.max(...TONES[sound].map(({ loud }) => loud))).toBeLessThan(0.2)
  })
})

describe('a notification', () => {
  it('is shown to whoever wants it and looks elsewhere', () => {
    notify('Your turn', '')
    preferences.notifications = true
    notify('Your turn', '')
    expect(shown).toEqual([])
    vi.stubGlobal('document', { hidden: true })
    notify('Your turn', '')
    expect(shown).toEqual(['Your turn'])
    vi.stubGlobal('isSecureContext', false)
    notify('Your turn', '')
    expect(shown).toHaveLength(1)
  })
})
