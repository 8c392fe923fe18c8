/** The frames of a replay (docs/protocols/api.md) as whole scenes, and ways through them. */
import type { ReplayFrame } from '../protocol/shown'
import type { Scene } from '../protocol/extras'
import { changed } from '../scenes/fold'

/** What the viewer saw after one event. */
export interface Moment {
  /** `null`: the game can't be drawn here. */
  scene: Scene | null
  move: string
  /** Milliseconds since the deal. */
  at: number
  /** The input that it follows from, the same for all viewers. */
  step: number
  turn: number
}

export function momentsOf(frames: readonly ReplayFrame[]): Moment[] {
  let scene: Scene | null = null
  return frames.map(({ at, step, turn, move = '', ...frame }) => {
    if (frame.blank) scene = null
    else if (frame.scene) scene = frame.scene as Scene
    else if (scene) {
      const { fields = {}, zones = [], order = [] } = frame
      scene = changed(scene, { fields, zones: zones as Scene['zones'], order })
    }
    return { scene, move, at, step, turn }
  })
}

/** A number of a moment that there is. */
export const within = (moments: readonly Moment[], at: number): number =>
  Math.max(0, Math.min(moments.length - 1, Math.trunc(at) || 0))

/** Where the turn begins that is `by` turns away; -1 from within a turn: its own beginning. */
export function turnAway(moments: readonly Moment[], at: number, by: 1 | -1): number {
  const starts = moments.flatMap(({ turn }, i) => (turn !== moments[i - 1]?.turn ? [i] : []))
  if (by > 0) return starts.find((start) => start > at) ?? moments.length - 1
  return starts.findLast((start) => start < at) ?? 0
}

/** The same moment as another viewer saw it: the last one that is not later. */
export function sameMoment(moments: readonly Moment[], { step }: Moment): number {
  return Math.max(
    0,
    moments.findLastIndex((moment) => moment.step <= step),
  )
}

/** The moment whose sentence is the last one up to now; 0: the deal. */
export function lastTold(moments: readonly Moment[], at: number): number {
  return Math.max(
    0,
    moments.findLastIndex(({ move }, i) => i <= at && move !== ''),
  )
}

/** "0:07", "12:30", "1:02:03". */
export function clockTime(millis: number): string {
  const seconds = Math.floor(millis / 1000)
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const two = (n: number): string => String(n).padStart(2, '0')
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}
