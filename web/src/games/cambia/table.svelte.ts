/** One visitor's side of a Cambia table. */
import { mark } from '../../lib/messages'
import { returnHeldCards } from '../../lib/flight'
import type { News, ServerError } from '../../lib/live-table.svelte'
import type { Sound } from '../../lib/sounds'
import type { Sitter } from '../../scenes/desk.svelte'
import type { SceneMessage } from '../../scenes/fold'
import { SceneTable } from '../../scenes/table.svelte'
import type { TableProps } from '../game'
import { Message, type Action, type Frame, type Rules } from './messages'
import { emptyTable, fold, leaveGame, type TableState } from './state'
import { saidAloud } from './words'

/** A word shown over the piles for a moment. */
export interface Shout {
  id: number
  text: string
  good: boolean
}

const SHOUTS: Partial<Record<Message['type'], string>> = {
  player_snap_success: mark('Snap!'),
  player_snap_fail: mark('Wrong!'),
  player_cambia: mark('Cambia!'),
}
const SOUNDS: Partial<Record<Message['type'], Sound>> = {
  player_snap_success: 'good',
  player_snap_fail: 'bad',
  player_cambia: 'good',
  game_end: 'end',
}
/** Without a word from us for longer than this, a proxy may close the connection. */
const KEEP_ALIVE = 30_000
/** A discard is shown with little delay: players must see it to snap it. */
const LONGEST_PAUSE = 240

export class CambiaTable extends SceneTable<TableState, Message, Action> {
  shout: Shout | null = $state.raw(null)
  /** The dialog that asks whether you really call Cambia is open. */
  calling = $state(false)

  /** What to ask for next without being told to: "Play now" in the hall wants to begin at once. */
  #eager: 'ready' | 'start' | null
  #shouts = 0
  #shoutEnd: ReturnType<typeof setTimeout> | undefined
  #keepAlive: ReturnType<typeof setInterval>

  constructor({ code, watch, eager }: Pick<TableProps, 'code' | 'watch' | 'eager'>) {
    super({
      code,
      watch,
      eager,
      path: `/ws/${encodeURIComponent(code)}${watch ? '?watch' : ''}`,
      subprotocol: 'cambia',
      empty: emptyTable,
      shape: Message,
      act: (action, fields) => {
        // A card that was lifted to be snapped has been.
        this.desk.pick([])
        if (action === 'call_cambia') this.calling = true
        else this.act({ type: 'extras_act', action, fields })
      },
    })
    this.#eager = eager && !watch ? 'ready' : null
    this.#keepAlive = setInterval(() => this.socket.send({ type: 'ping' }), KEEP_ALIVE)
  }

  override leave(): void {
    clearInterval(this.#keepAlive)
    clearTimeout(this.#shoutEnd)
    super.leave()
  }

  callCambia(): void {
    this.calling = false
    this.act({ type: 'action_cambia' })
  }

  change(path: readonly string[], value: unknown): void {
    const rules = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Rules
    this.act({ type: 'update_rules', rules })
  }

  protected override speak(msg: string): boolean {
    return this.act({ type: 'chat', msg })
  }

  toLobby(): void {
    this.state = leaveGame(this.state)
  }

  // What the server says

  protected foldOwn = fold

  /** In a game its state comes first, then the lobby, then both in one (`sync_state`). What may
   *  follow repeats or completes it, and does no harm as news. */
  protected endsGreeting({ type }: Message | SceneMessage): boolean {
    return type === 'sync_state'
  }

  protected override unwrap(data: unknown): unknown {
    return (data as Frame | null)?.payload
  }

  protected errorIn(message: Message | SceneMessage): ServerError | null {
    const failed = message.type === 'error' || message.type === 'private_special_action_fail'
    return failed ? message : null
  }

  protected sitters({ game, lobby, scene }: TableState): Record<number, Sitter> {
    const users = lobby?.lobby_status.users ?? []
    const sitters = (game?.players ?? []).map(({ id, name }, seat) => ({
      name,
      bot: users.find((user) => user.id === id)?.is_bot ?? false,
      away: scene?.seats[seat]?.marks?.includes('away') ?? false,
    }))
    return { ...sitters }
  }

  protected override newsOf(message: Message): News {
    const { game, me } = this.state
    const aloud = saidAloud(message, game, me)
    if (message.type === 'chat') return { aloud, written: message.msg, by: message.username }
    const sound = SOUNDS[message.type]
    return { aloud, ...(sound && { sound }) }
  }

  protected override pause(message: Message | SceneMessage): number {
    return Math.min(LONGEST_PAUSE, super.pause(message))
  }

  protected override greeted(): void {
    this.#beginEagerly()
  }

  protected override informed(): void {
    this.#beginEagerly()
  }

  protected override settle(): void {
    super.settle()
    const may = this.state.scene?.choices?.some(({ action }) => action === 'call_cambia')
    if (!may) this.calling = false
  }

  protected override happened(message: Message | SceneMessage): void {
    super.happened(message)
    // A card dropped on the pile that did not belong there goes home.
    if (message.type === 'player_snap_fail') returnHeldCards()
    if (message.type === 'lobby_state') this.#beginEagerly()
    const text = SHOUTS[message.type as Message['type']]
    if (!text) return
    this.shout = { id: this.#shouts++, text, good: message.type !== 'player_snap_fail' }
    clearTimeout(this.#shoutEnd)
    this.#shoutEnd = setTimeout(() => (this.shout = null), 1500)
  }

  /** "Play now" in the hall: ready at once and, for the host, no waiting for the countdown. */
  #beginEagerly(): void {
    const lobby = this.state.lobby
    const users = lobby?.lobby_status.users ?? []
    if (!lobby || this.#eager === null || users.length < 2 || !this.prepared()) return
    if (lobby.in_game) {
      this.#eager = null
    } else if (this.#eager === 'ready') {
      this.#eager = lobby.your_is_host ? 'start' : null
      this.socket.send({ type: 'ready' })
    } else if (users.every((user) => user.is_ready)) {
      this.#eager = null
      this.socket.send({ type: 'start_game' })
    }
  }
}
