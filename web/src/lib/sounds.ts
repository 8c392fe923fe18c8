/** Short sounds, made by the browser itself: nothing is fetched, and nothing plays unasked. */
import { preferences } from './preferences.svelte'

/** `card`: something was moved; `deal`: a match begins; `turn`: the table waits for you. */
export type Sound = 'card' | 'deal' | 'turn' | 'good' | 'bad' | 'end'

/** A tone: its pitch in hertz, when it begins and how long it takes (seconds), and how loud. */
export interface Tone {
  pitch: number
  at: number
  long: number
  loud: number
}

const tones = (loud: number, long: number, ...pitches: number[]): Tone[] =>
  pitches.map((pitch, number) => ({ pitch, at: number * long * 0.8, long, loud }))

export const TONES: Record<Sound, Tone[]> = {
  card: tones(0.05, 0.05, 420),
  deal: tones(0.05, 0.05, 380, 420, 380, 420, 380, 420),
  turn: tones(0.12, 0.16, 587, 784),
  good: tones(0.1, 0.1, 659, 880),
  bad: tones(0.1, 0.18, 233, 196),
  end: tones(0.12, 0.2, 523, 659, 784),
}

let context: AudioContext | null = null

/** Plays a sound, if the visitor has switched sounds on and is there to hear it. */
export function play(sound: Sound): void {
  if (!preferences.sounds || (document.hidden && sound === 'card')) return
  try {
    context ??= new AudioContext()
    // Browsers begin in silence until the page has been clicked.
    if (context.state === 'suspended') void context.resume()
    for (const tone of TONES[sound]) sing(context, tone)
  } catch {
    // A browser without sound still plays cards.
  }
}

function sing(context: AudioContext, { pitch, at, long, loud }: Tone): void {
  const begin = context.currentTime + at
  const volume = context.createGain()
  // A tone that starts or stops at full volume clicks.
  volume.gain.setValueAtTime(0, begin)
  volume.gain.linearRampToValueAtTime(loud, begin + 0.01)
  volume.gain.exponentialRampToValueAtTime(0.0001, begin + long)
  volume.connect(context.destination)
  const tone = context.createOscillator()
  tone.type = 'triangle'
  tone.frequency.value = pitch
  tone.connect(volume)
  tone.start(begin)
  tone.stop(begin + long)
}
