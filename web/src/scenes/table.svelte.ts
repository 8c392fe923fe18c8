/** A live table that is drawn from scenes. It asks for them as extras, whatever its protocol is. */
import { fly } from '../lib/flight'
import { LiveTable, type Connection, type News, type ServerError } from '../lib/live-table.svelte'
import { toasts } from '../lib/toasts.svelte'
import type { Incoming } from '../protocol/extras'
import type { Shape } from '../lib/shapes'
import { SceneDesk, type Act, type Sitter } from './desk.svelte'
import { spokenText } from './decks'
import { ownThings } from './fresh'
import { withScene, type Drawn, type SceneMessage } from './fold'

/** How long to look at each change, so that it can be followed when bots answer at once. */
const PAUSE = 450
/** The same action twice within this time is one (a double click, a bouncing key). */
const ECHO = 600

export interface SceneConnection<State, In> extends Omit<Connection<State, In>, 'shape'> {
  /** What the game's own messages must look like. */
  shape: Shape<In>
  /** How an action is sent where the game's protocol has messages for it. */
  act?: Act
}

export abstract class SceneTable<State extends Drawn, In extends object, Out> extends LiveTable<
  State,
  In | SceneMessage,
  Out | Incoming
> {
  readonly desk: SceneDesk
  #begins = false
  #last: { move: string; scene: Drawn['scene']; at: number } | null = null

  constructor({ shape, act, ...connection }: SceneConnection<State, In>) {
    super({ ...connection, shape: shape as Shape<In | SceneMessage>, extras: 'story,scene' })
    const send: Act = (action, fields) => void this.act({ type: 'extras_act', action, fields })
    const once: Act = (action, fields) => {
      if (!this.#isEcho(JSON.stringify([action, fields]))) (act ?? send)(action, fields)
    }
    this.desk = new SceneDesk({
      act: connection.watch ? null : once,
      hurry: () => this.hurry(),
    })
  }

  #isEcho(move: string): boolean {
    const [last, now] = [this.#last, { move, scene: this.state.scene, at: Date.now() }]
    this.#last = now
    return move === last?.move && now.scene === last.scene && now.at - last.at < ECHO
  }

  get mine(): boolean {
    return this.desk.mine
  }

  /** What is known after a message of the game's own protocol. Pure. */
  protected abstract foldOwn(state: State, message: In): State

  /** Who sits where in the match that is drawn. */
  protected abstract sitters(state: State): Record<number, Sitter>

  /** What there is to tell of a message of the game's own protocol. */
  protected newsOf(_message: In): News {
    return {}
  }

  protected fold(state: State, message: In | SceneMessage): State {
    return isScene(message)
      ? { ...state, ...withScene(state, message) }
      : this.foldOwn(state, message)
  }

  protected news(before: State, message: In | SceneMessage): News {
    if (!isScene(message)) return this.newsOf(message)
    const move = message.type === 'extras_change' ? this.desk.text(message.move ?? '') : ''
    if (move) this.desk.told = move
    const asked = this.mine && this.state.scene?.prompt !== before.scene?.prompt
    const prompt = asked ? this.desk.sentence : ''
    // Players who see no cards hear them with the deal, and by a key (`Actions`).
    const old = ownThings(before.scene)
    const dealt = ![...ownThings(this.state.scene)].some((id) => old.has(id))
    const held = message.type === 'extras_scene' && dealt ? this.desk.held : ''
    return { written: move, aloud: spokenText([move, held, prompt].filter(Boolean).join(' ')) }
  }

  /** The scene brings the moves so far in words. */
  protected override retold(): string[] {
    return []
  }

  protected override pause(message: In | SceneMessage): number {
    if (!isScene(message) || message.type !== 'extras_change') return 0
    // The viewer's own moves need no pause: the next one can follow at once.
    return message.order.length > 0 && !this.mine ? PAUSE : 0
  }

  protected override animate(before: State, after: State, change: () => void): void {
    fly(this.desk.root, change, this.desk.flight(before.scene, after.scene))
  }

  protected override settle(): void {
    this.desk.sitters = this.sitters(this.state)
    this.desk.take(this.state.scene, this.state.trouble)
  }

  /** The same may be tried again at once. */
  protected override refused(error: ServerError): void {
    this.#last = null
    super.refused(error)
  }

  protected override begins(): void {
    super.begins()
    this.#begins = true
  }

  protected override happened(message: In | SceneMessage, _before?: State): void {
    if (!isScene(message) || message.type !== 'extras_scene') return
    // What could not be done in one match is of no use in the next.
    if (this.#begins) {
      this.#begins = false
      toasts.clear()
      this.desk.deals = true
    }
    const moves = message.moves.map(this.desk.text)
    this.desk.told = moves.at(-1) ?? ''
    this.listMissed(moves)
  }
}

const isScene = (message: object): message is SceneMessage =>
  'type' in message && String(message.type).startsWith('extras_')
