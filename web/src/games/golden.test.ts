/** Every frame of the golden transcripts fits the shapes; frames that were changed do not. */
import { describe, expect, it } from 'vitest'
import { framesFor } from '../lib/golden'
import type { Shape } from '../lib/shapes'
import { Outgoing as Cambia } from '../protocol/cambia'
import { Outgoing as Mo } from '../protocol/mo'
import { Outgoing as Onu } from '../protocol/onu'
import { Outgoing as Quips } from '../protocol/quips'
import { Event as Rummy } from '../protocol/rummy'

const transcripts = import.meta.glob<string>('../../../tests/golden/*.txt', {
  query: '?raw',
  import: 'default',
  eager: true,
})
const VIEWERS = ['watcher', 'seat0', 'seat1', 'seat2', 'seat3']

/** Every different frame that the protocol of this name has in the transcripts of its game. */
function framesOf(game: string): unknown[] {
  const viewers = VIEWERS.flatMap((viewer) => [viewer, `${viewer}/${game}`])
  const frames = Object.entries(transcripts)
    .filter(([path]) => path.includes(`/${game}-`))
    .flatMap(([, transcript]) => framesFor(transcript, ...viewers))
  const different = new Map(frames.map((frame) => [JSON.stringify(frame), frame]))
  return [...different.values()]
}

/** Puts `replacement` (or nothing) in each place in turn; yields the place (".cards[].id") too. */
function* changed(frame: unknown, replacement: unknown): Generator<[string, unknown]> {
  if (typeof frame !== 'object' || frame === null) return
  for (const [key, value] of Object.entries(frame)) {
    const name = Array.isArray(frame) ? '[]' : `.${key}`
    const put = (other: unknown): unknown =>
      Array.isArray(frame)
        ? frame.map((each: unknown, at) => (at === Number(key) ? other : each))
        : { ...frame, [key]: other }
    yield [name, put(replacement)]
    for (const [inner, mutant] of changed(value, replacement)) yield [name + inner, put(mutant)]
  }
}

/** The fields that can be changed in a frame which fits all the same. */
function unnoticed(shape: Shape<unknown>, frames: unknown[], replacement: unknown): string {
  const found = new Set<string>()
  for (const frame of frames) {
    for (const [place, mutant] of changed(frame, replacement)) {
      if (!shape(mutant)) found.add(place.slice(place.lastIndexOf('.') + 1))
    }
  }
  return [...found].sort().join(' ')
}

/** Of each game: fields whose type is `unknown` (settings of the table), and optional fields. */
const PROTOCOLS: [string, Shape<unknown>, string, string][] = [
  ['rummy', Rummy, '', 'deck_card spectator'],
  [
    'cambia',
    Cambia,
    '',
    'card card1 card2 circuit drawnCard idx payload rank seconds special suit timedOut total user value',
  ],
  ['quips', Quips, '', ''],
  ['onu', Onu, 'autoSeat autoStart channel deck maxDraws openState pace takeOver turnTimeout', ''],
  ['mo', Mo, '', ''],
]

describe.each(PROTOCOLS)('a frame of %s', (game, shape, open, optional) => {
  const frames = framesOf(game)

  it('fits', () => {
    expect(frames.length).toBeGreaterThan(10)
    expect(frames.map((frame) => shape(frame)).filter(Boolean)).toEqual([])
  })

  it('does not fit with a value of another type in any place', () => {
    // No JSON value is a function, so it is of another type wherever one is declared.
    expect(unnoticed(shape, frames, () => {})).toBe(open)
  })

  it('does not fit with anything left out that is always there', () => {
    expect(unnoticed(shape, frames, undefined)).toBe(optional)
  })
})
