/** One visitor's side of a Cambia table: what they look at, choose and do. */
import type { Timer } from '../../lib/clock.svelte'
import { returnHeldCards, type FlightOptions } from '../../lib/flight'
import { LiveTable, type News, type ServerError } from '../../lib/live-table.svelte'
import type { Sound } from '../../lib/sounds'
import { toasts } from '../../lib/toasts.svelte'
import type { TableProps } from '../game'
import { asked, snappable, targets, wanted, type Asked } from './hints'
import { Message, type Action, type Frame, type Rules, type Source } from './messages'
import { reasons, type Reasons } from './reasons'
import {
  conceal,
  emptyTable,
  fold,
  leaveGame,
  playerOf,
  zoneOf,
  type Game,
  type TableState,
} from './state'
import { aloud, inSigns, told } from './words'

/** A word shown over the discard pile for a moment: "Snap!", say. */
export interface Shout {
  id: number
  text: string
  good: boolean
}

/** How long a card stays open that you peeked at, or that somebody snapped wrongly. */
const GLANCE = 4500
const PARTING_GLANCE = 1300
/** The same move twice within this time is one move (a double click, a bouncing key). */
const ECHO = 600
const SOUNDS: Partial<Record<Message['type'], Sound>> = {
  player_snap_success: 'good',
  player_snap_fail: 'bad',
  player_cambia: 'good',
  game_end: 'end',
}
/** Without a word from us for longer than this, a proxy may close the connection. */
const KEEP_ALIVE = 30_000

/**
 * In a game its state comes first, then the lobby, then both in one (`sync_state`). What may
 * follow that repeats or completes it, and does no harm as news: `phase_change` with the seconds
 * left, `private_sync_state`, and `player_special_choice` while an ability is pending.
 */
export const endsGreeting = ({ type }: Message): boolean => type === 'sync_state'

export class CambiaTable extends LiveTable<TableState, Message, Action> {
  /** Cards chosen for a swap so far. */
  picks: string[] = $state.raw([])
  /** The card a second tap would snap. */
  armed: string | null = $state(null)
  /** The next card tapped is snapped, whatever else a tap would mean. */
  snapping = $state(false)
  /** What is being carried with the pointer, so that its places light up. */
  carrying: 'drawn' | 'snap' | null = $state(null)
  /** When cards shown for a moment are turned down again. */
  glances: Record<string, Timer> = $state.raw({})
  shout: Shout | null = $state.raw(null)
  /** The dialog that asks whether you really call Cambia is open. */
  calling = $state(false)

  readonly game: Game | null = $derived(this.state.game)
  readonly me: string | null = $derived(this.state.me)
  readonly asked: Asked = $derived(this.game ? asked(this.game, this.me) : 'wait')
  /** Whether the table waits for this visitor. */
  readonly mine = $derived(!['look', 'wait', 'over'].includes(this.asked))
  readonly targets: Set<string> = $derived(
    this.game ? targets(this.game, this.me) : new Set<string>(),
  )
  readonly snappable: Set<string> = $derived(
    this.game ? snappable(this.game, this.me) : new Set<string>(),
  )
  readonly hand: string[] = $derived(
    (this.game && playerOf(this.game, this.me)?.hand) || ([] as string[]),
  )
  readonly drawn: string | null = $derived(
    (this.game && playerOf(this.game, this.me)?.drawn) || null,
  )
  /** Why something can't be done now. */
  readonly why: Reasons | null = $derived(
    this.game && reasons(this.game, this.me, this.picks.length),
  )
  readonly mayCall = $derived(this.why?.call === '')
  readonly mayTake = $derived(this.why?.take === '')
  readonly maySwap = $derived(this.why?.swap === '')

  /** What to ask for next without being told to: "Play now" in the hall wants to begin at once. */
  #eager: 'ready' | 'start' | null
  #lastMove = { move: '', at: 0 }
  /** Since when cards lie open for a moment, and what will turn them down. */
  #openSince = new Map<string, number>()
  #closing = new Map<string, ReturnType<typeof setTimeout>>()
  #shouts = 0
  #shoutEnd: ReturnType<typeof setTimeout> | undefined
  #keepAlive: ReturnType<typeof setInterval>

  constructor({ code, watch, eager }: Pick<TableProps, 'code' | 'watch' | 'eager'>) {
    super({
      code,
      watch,
      path: `/ws/${encodeURIComponent(code)}${watch ? '?watch' : ''}`,
      subprotocol: 'cambia',
      empty: emptyTable,
      shape: Message,
    })
    this.#eager = eager && !watch ? 'ready' : null
    this.#keepAlive = setInterval(() => this.socket.send({ type: 'ping' }), KEEP_ALIVE)
  }

  override leave(): void {
    clearInterval(this.#keepAlive)
    clearTimeout(this.#shoutEnd)
    for (const timer of this.#closing.values()) clearTimeout(timer)
    super.leave()
  }

  // What the visitor does

  override act(action: Action): boolean {
    if (action.type.startsWith('action_') && this.#isEcho(JSON.stringify(action))) return false
    return super.act(action)
  }

  #isEcho(move: string): boolean {
    const now = Date.now()
    const echo = move === this.#lastMove.move && now - this.#lastMove.at < ECHO
    this.#lastMove = { move, at: now }
    return echo
  }

  /** A card was tapped: snap it, choose it, or lift it so that a second tap snaps it. */
  tap(card: string): void {
    if (this.snapping) {
      if (this.snappable.has(card)) this.snap(card)
    } else if (this.targets.has(card)) {
      this.choose(card)
    } else if (this.snappable.has(card)) {
      if (this.armed === card) this.snap(card)
      else this.armed = card
    }
  }

  choose(card: string): void {
    if (!this.targets.has(card)) return
    if (this.asked === 'place') this.replace(card)
    else if (this.asked === 'owe') this.act({ type: 'action_snap_move', card: { id: card } })
    else this.#name(card)
  }

  draw(source: Source): void {
    if (this.asked !== 'draw' || (source === 'discardpile' && !this.mayTake)) return
    this.act({ type: `action_draw_${source}` })
  }

  discard(): void {
    if (this.asked === 'place' && this.drawn) {
      this.act({ type: 'action_discard', card: { id: this.drawn } })
    }
  }

  replace(card: string): void {
    const idx = this.hand.indexOf(card)
    if (this.asked === 'place' && idx >= 0) {
      this.act({ type: 'action_replace', card: { id: card, idx } })
    }
  }

  snap(card: string): void {
    if (!this.snappable.has(card)) return
    this.armed = null
    this.snapping = false
    this.act({ type: 'action_snap', card: { id: card } })
  }

  /** The Snap key and button: the lifted card at once, or whichever is tapped next. */
  snapNext(): void {
    if (this.armed) this.snap(this.armed)
    else this.snapping = !this.snapping && this.snappable.size > 0
  }

  swap(): void {
    if (!this.maySwap) return
    if (this.asked === 'decide') this.act({ type: 'action_special', special: 'swap_peek_swap' })
    else this.#special('swap_blind')
  }

  /** Not to use an ability, or to leave a King's two cards where they are. */
  skip(): void {
    if (this.asked === 'choose' || this.asked === 'decide') {
      this.act({ type: 'action_special', special: 'skip' })
    }
  }

  callCambia(): void {
    this.calling = false
    if (this.mayCall) this.act({ type: 'action_cambia' })
  }

  /** Puts down whatever was lifted or begun. */
  putDown(): void {
    this.picks = []
    this.armed = null
    this.snapping = false
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

  #name(card: string): void {
    const special = this.game?.ability?.special
    if (special === 'peek_self' || special === 'peek_other') {
      this.act({ type: 'action_special', special, card1: { id: card } })
      return
    }
    if (this.picks.includes(card)) this.picks = this.picks.filter((id) => id !== card)
    else this.picks = [...this.picks.slice(0, 1), card]
    if (special === 'swap_peek' && this.picks.length === 2) this.#special('swap_peek')
  }

  #special(special: 'swap_blind' | 'swap_peek'): void {
    const [one, other] = this.picks
    if (one === undefined || other === undefined || wanted(this.game!) !== 2) return
    this.act({ type: 'action_special', special, card1: { id: one }, card2: { id: other } })
  }

  // What the server says

  protected endsGreeting = endsGreeting
  protected fold = fold

  protected override unwrap(data: unknown): unknown {
    return (data as Frame | null)?.payload
  }

  /** The current state has all names, so no fold is needed. */
  protected override retold(messages: readonly Message[]): string[] {
    return messages.flatMap((message) => told(this.state, message, this.state, inSigns) || [])
  }

  protected errorIn(message: Message): ServerError | null {
    return message.type === 'error' ? message : null
  }

  protected news(before: TableState, message: Message, after: TableState): News {
    const news: News = { aloud: told(before, message, after, aloud) }
    if (message.type === 'chat') return { ...news, written: message.msg, by: message.username }
    const sound = SOUNDS[message.type]
    return { ...news, written: told(before, message, after, inSigns), ...(sound && { sound }) }
  }

  /** A discard is shown without delay: players must see it to snap it. */
  protected override pause(message: Message): number {
    if (message.type === 'player_snap_penalty') return 170
    if (message.type === 'player_snap_fail') return 260
    if (message.type === 'player_draw_stockpile' && message.user.id !== this.me) return 240
    return 0
  }

  protected override flight({ game }: TableState): FlightOptions {
    return { duration: 320, from: (card) => (game ? zoneOf(game, card) : 'stockpile') }
  }

  protected override greeted(): void {
    this.#beginEagerly()
  }

  protected override refused(error: ServerError): void {
    // The same move may be tried again at once.
    this.#lastMove.move = ''
    super.refused(error)
  }

  protected override happened(message: Message): void {
    // A card dropped on the pile that did not belong there goes home.
    if (message.type === 'player_snap_fail') returnHeldCards()
    if (message.type === 'private_special_action_fail') toasts.error(message.message)
    if (message.type === 'lobby_state') this.#beginEagerly()
    this.#shoutFor(message)
  }

  #shoutFor(message: Message): void {
    const words =
      message.type === 'player_snap_success'
        ? 'Snap!'
        : message.type === 'player_snap_fail'
          ? 'Wrong!'
          : message.type === 'player_cambia'
            ? 'Cambia!'
            : ''
    if (!words) return
    this.shout = { id: this.#shouts++, text: words, good: message.type !== 'player_snap_fail' }
    clearTimeout(this.#shoutEnd)
    this.#shoutEnd = setTimeout(() => (this.shout = null), 1500)
  }

  /** Drops choices that are no longer allowed, and sets when open cards are turned down. */
  protected override settle(): void {
    const game = this.game
    if (!game) {
      this.calling = false
      this.putDown()
      return
    }
    if (!this.mayCall) this.calling = false
    if (this.picks.length > 0) {
      const still = this.asked === 'choose' ? this.picks.filter((id) => this.targets.has(id)) : []
      if (still.length !== this.picks.length) this.picks = still
    }
    if (this.armed && (!this.snappable.has(this.armed) || this.targets.has(this.armed))) {
      this.armed = null
    }
    if (this.snappable.size === 0) this.snapping = false
    this.#timeGlances(game)
  }

  #timeGlances(game: Game): void {
    const now = Date.now()
    for (const card of this.#openSince.keys()) {
      if (card in game.open) continue
      this.#openSince.delete(card)
      clearTimeout(this.#closing.get(card))
      this.#closing.delete(card)
    }
    const glances = { ...this.glances }
    for (const card of Object.keys(glances)) if (!(card in game.open)) delete glances[card]
    for (const [card, why] of Object.entries(game.open)) {
      if (why === 'initial' || why === 'end') continue
      const since = this.#openSince.get(card) ?? now
      this.#openSince.set(card, since)
      // A King's two cards stay up while their player decides, and a moment longer.
      if (this.#closing.has(card) || (why === 'king' && game.ability !== null)) continue
      const wait = Math.max(PARTING_GLANCE, since + GLANCE - now)
      glances[card] = { until: now + wait, total: wait }
      this.#closing.set(
        card,
        setTimeout(() => this.#turnDown(card), wait),
      )
    }
    this.glances = glances
  }

  #turnDown(card: string): void {
    this.state = conceal(this.state, [card])
    this.settle()
  }

  /** "Play now" in the hall: ready at once and, for the host, no waiting for the countdown. */
  #beginEagerly(): void {
    const lobby = this.state.lobby
    const users = lobby?.lobby_status.users ?? []
    if (!lobby || this.#eager === null || users.length < 2) return
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
