/** A finished match that is looked at: at which moment, as whom, and whether it goes on by itself. */
import { loadSentences, t } from '../lib/messages'
import { announcer } from '../lib/announcer.svelte'
import { ask } from '../lib/api'
import { visitor } from '../lib/visitor.svelte'
import { ReplayFrames } from '../protocol/shown'
import { SceneDesk } from '../scenes/desk.svelte'
import { momentsOf, sameMoment, turnAway, within, type Moment } from './moments'

/** All cards, what spectators saw, or the number of a seat. */
export type View = string

export const SPEEDS = [0.5, 1, 2, 4] as const
/** Milliseconds for a moment, at speed 1. */
const PACE = 1100

interface Filmed {
  replay: ReplayFrames
  moments: Moment[]
}

const load = (id: string, view: View): Promise<ReplayFrames> =>
  ask(
    ReplayFrames,
    'GET',
    `/api/replays/${encodeURIComponent(id)}/frames?view=${encodeURIComponent(view)}`,
  )

export class ReplayPlayer {
  readonly desk = new SceneDesk()
  #filmed: Filmed = $state.raw({ replay: undefined as never, moments: [] })
  at = $state(0)
  playing = $state(false)
  speed: number = $state(1)
  #views = new Map<View, Filmed>()
  #timer: ReturnType<typeof setTimeout> | undefined

  private constructor(filmed: Filmed, at: number) {
    this.#take(filmed)
    this.at = within(filmed.moments, at)
    this.desk.take(this.moment?.scene ?? null)
  }

  /** Loads a replay; raises `ApiError`. */
  static async open(id: string, view: View, at: number): Promise<ReplayPlayer> {
    const replay = await load(id, view)
    const game = visitor.game(replay.game)
    if (game) await loadSentences(game, 'table')
    return new ReplayPlayer({ replay, moments: momentsOf(replay.frames) }, at)
  }

  get replay(): ReplayFrames {
    return this.#filmed.replay
  }

  get moments(): readonly Moment[] {
    return this.#filmed.moments
  }

  readonly view: View = $derived.by(() => this.#filmed.replay.view)
  readonly moment: Moment | undefined = $derived.by(() => this.#filmed.moments[this.at])
  readonly last: number = $derived.by(() => Math.max(0, this.#filmed.moments.length - 1))
  readonly turns: number = $derived.by(() => this.#filmed.moments.at(-1)?.turn ?? 1)

  /** A sentence with the players' names in it. */
  readonly text = (text: string): string => this.desk.text(text)

  /** Goes to a moment. Things fly to it only from the one before or after. */
  go(at: number): void {
    const target = within(this.moments, at)
    if (target === this.at) return
    const next = Math.abs(target - this.at) === 1
    this.at = target
    const scene = this.moment?.scene ?? null
    if (next) this.desk.show(scene, scene ? '' : undrawn())
    else this.desk.take(scene, scene ? '' : undrawn())
    announcer.say(this.text(this.moment?.move || scene?.prompt || undrawn()))
  }

  step(by: 1 | -1): void {
    this.pause()
    this.go(this.at + by)
  }

  turn(by: 1 | -1): void {
    this.pause()
    this.go(turnAway(this.moments, this.at, by))
  }

  jump(at: number): void {
    this.pause()
    this.go(at)
  }

  play(): void {
    if (this.at === this.last) this.go(0)
    this.playing = true
    this.#wait()
  }

  pause(): void {
    this.playing = false
    clearTimeout(this.#timer)
  }

  toggle(): void {
    if (this.playing) this.pause()
    else this.play()
  }

  setSpeed(speed: number): void {
    this.speed = speed
    if (this.playing) this.#wait()
  }

  /** Shows the same moment as somebody else saw it; raises `ApiError`. */
  async look(view: View): Promise<void> {
    let filmed = this.#views.get(view)
    if (!filmed) {
      const replay = await load(this.replay.id, view)
      filmed = { replay, moments: momentsOf(replay.frames) }
    }
    const moment = this.moment
    this.#take(filmed)
    this.at = moment ? sameMoment(filmed.moments, moment) : 0
    this.desk.take(this.moment?.scene ?? null)
  }

  #take(filmed: Filmed): void {
    this.#filmed = filmed
    this.#views.set(filmed.replay.view, filmed)
    const sitters = filmed.replay.players.map(({ name, human }) => ({ name, bot: !human }))
    this.desk.sitters = { ...sitters }
  }

  #wait(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.go(this.at + 1)
      if (this.at === this.last) this.pause()
      else this.#wait()
    }, PACE / this.speed)
  }
}

const undrawn = (): string => t('The game can’t be drawn at this moment.')
