/** A lesson under way: the sentence that is read, the scene it is about, and what was done wrong. */
import { announcer } from '../lib/announcer.svelte'
import { returnHeldCards } from '../lib/flight'
import { Pace } from '../lib/pace'
import type { Scene } from '../protocol/extras'
import type { TaughtLesson, TaughtStep } from '../protocol/shown'
import type { Draft } from '../scenes/choose'
import { SceneDesk } from '../scenes/desk.svelte'
import { changed } from '../scenes/fold'
import { isExpected, nextKeys } from './expected'

/** How long to look at what another player does. */
const PAUSE = 900

interface Shown {
  scene: Scene
  move: string
  /** How long to look at it, in milliseconds. */
  pause: number
}

export class Course {
  readonly lesson: TaughtLesson
  readonly desk: SceneDesk
  at = $state(0)
  /** What is said about something else than what was expected. */
  wrong = $state('')
  /** By step: what is seen before its sentence, one thing after the other. */
  readonly #shown: Shown[][]
  readonly #pace = new Pace<Shown>(
    (shown) => this.#show(shown),
    ({ pause }) => pause,
  )

  /** `name`: what the learner is called. */
  constructor(lesson: TaughtLesson, name: string) {
    this.lesson = lesson
    this.#shown = played(lesson)
    this.desk = new SceneDesk({
      act: (action, fields) => this.#act(action, fields),
      hurry: () => this.#pace.flush(),
    })
    this.desk.sitters = Object.fromEntries(
      lesson.names.map((bot, seat) => [seat, seat === 0 ? { name } : { name: bot, bot: true }]),
    )
    this.go(0)
  }

  readonly step: TaughtStep = $derived.by(() => this.lesson.steps[this.at]!)
  readonly text: string = $derived.by(() => this.desk.text(this.step.text))
  readonly last: boolean = $derived.by(() => this.at === this.lesson.steps.length - 1)

  /** What to look at, or to press now (`SceneDesk.marked`). */
  readonly marks: string[] = $derived.by(() => {
    const { expected, look = [] } = this.step
    const { scene, draft, picked } = this.desk
    const looked = look.map((zone) => `zone ${zone}`)
    if (!expected || !scene?.choices?.length) return looked
    return [...looked, ...nextKeys(scene, expected, draft, picked)]
  })

  /** The next sentence, after what happens before it. */
  forward(): void {
    if (this.last) return
    this.#pace.flush()
    this.at += 1
    this.wrong = ''
    for (const shown of this.#shown[this.at]!) this.#pace.push(shown)
    announcer.say(this.text)
  }

  /** A sentence as it is once everything before it has happened. */
  go(at: number): void {
    this.#pace.drop()
    this.at = Math.max(0, at)
    this.wrong = ''
    this.desk.take(this.#sceneAt(this.at))
    announcer.say(this.text)
  }

  stop(): void {
    this.#pace.drop()
  }

  #sceneAt(at: number): Scene {
    const earlier = this.#shown.slice(0, at + 1).flat()
    return earlier.at(-1)?.scene ?? this.lesson.scene
  }

  #show({ scene, move }: Shown): void {
    this.desk.show(scene)
    announcer.say(this.desk.text(move))
  }

  #act(action: string, fields: Draft['fields']): void {
    const { expected, otherwise = '' } = this.step
    const { scene } = this.desk
    if (!expected || !scene) return
    if (isExpected(scene, expected, action, fields)) return this.forward()
    returnHeldCards()
    this.desk.cancel()
    this.wrong = this.desk.text(otherwise)
    announcer.say(this.wrong)
  }
}

/** By step, the scenes that its changes lead to. */
function played(lesson: TaughtLesson): Shown[][] {
  let scene = lesson.scene
  return lesson.steps.map(({ changes = [] }) =>
    changes.map((change, at) => {
      scene = changed(scene, change)
      const { move } = change
      // The learner's own move is seen at once, unless others follow it.
      const others = changes.slice(at + 1).some((later) => later.move && !isOwn(later.move))
      return { scene, move, pause: move && others ? PAUSE : 0 }
    }),
  )
}

const isOwn = (move: string): boolean => move.startsWith('{0}')
