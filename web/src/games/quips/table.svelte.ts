/** One visitor's side of a Quips table. */
import { mark, readContent, t } from '../../lib/messages'
import type { News, Seating, ServerError } from '../../lib/live-table.svelte'
import { visitor } from '../../lib/visitor.svelte'
import type { Sitter } from '../../scenes/desk.svelte'
import type { SceneMessage } from '../../scenes/fold'
import { SceneTable } from '../../scenes/table.svelte'
import { QuipsBoard } from './board.svelte'
import { Cards } from './cards.svelte'
import { Control } from './control.svelte'
import { keepToken, passwordFor, tokenFor } from './keepsakes'
import { ServerMessage, type Applause, type ClientMessage } from './messages'
import { afterRenames, hears, keepBlocked, readBlocked, toggled, type Silence } from './silence'
import { emptyTable, fold, playerOf, type TableState } from './state'

/** A message that is nothing but a cheer floats over the table for a moment. */
export interface Cheer {
  id: number
  by: string
  text: string
}

export const CHEERS: readonly Applause[] = [
  mark('Bravo!'),
  mark('Ha ha!'),
  mark('Ouch!'),
  mark('What?!'),
]

const CHEER_TIME = 2600

function pathOf(code: string, watch: boolean): string {
  const query = new URLSearchParams({ table: code, extended: '1' })
  if (watch) return `/spectate?${query}`
  const name = visitor.me?.name
  if (name) query.set('name', name)
  const token = tokenFor(code)
  if (token) query.set('player_token', token)
  const password = passwordFor(code)
  if (password) query.set('password', password)
  return `/game?${query}`
}

export class QuipsTable extends SceneTable<TableState, ServerMessage, ClientMessage> {
  silence: Silence = $state.raw({ muted: [], blocked: readBlocked() })
  cheers: Cheer[] = $state.raw([])
  /** Why the server put us out: `reject_afk` and the like. */
  rejected: string = $state('')
  /** When the game ended, or was found ended. */
  ended = $state(0)

  readonly cards = new Cards()
  readonly board: QuipsBoard = new QuipsBoard(this.desk, this.cards)
  readonly control = new Control(this.code)
  readonly me = $derived(playerOf(this.state, this.state.me))
  /** Whether this visitor runs the table. */
  readonly host: boolean = $derived(this.extras?.runs ?? false)

  /** Ready as soon as the table asks for it: "Play now" in the hall, "Play again" in the result. */
  again: boolean = $state(false)

  #cheers = 0
  readonly #unread: () => void

  constructor({ code, watch, eager = false }: Seating & { eager?: boolean }) {
    super({
      code,
      watch,
      eager,
      path: () => pathOf(code, watch),
      empty: emptyTable,
      shape: ServerMessage,
    })
    this.again = eager && !watch
    this.#unread = readContent((text) => this.cards.told(text))
  }

  override get talks(): boolean {
    return !this.watch && this.control.setting('enable_chat', true)
  }

  /** Not while the winners are shown, although that belongs to the game for the server. */
  override get needed(): boolean {
    return super.needed && this.state.game.stage !== 'game_end'
  }

  override leave(): void {
    this.board.stop()
    this.#unread()
    super.leave()
  }

  // What a visitor does

  protected override speak(body: string): boolean {
    return this.act({ msg: 'c_chat_msg', body })
  }

  /** Sends applause; spectators may do so, too. */
  applaud(cheer: Applause): void {
    this.act({ msg: 'c_applaud', cheer })
  }

  mute(name: string): void {
    this.silence = { ...this.silence, muted: toggled(this.silence.muted, name) }
  }

  block(name: string): void {
    this.silence = { ...this.silence, blocked: toggled(this.silence.blocked, name) }
    keepBlocked(this.silence.blocked)
  }

  protected override hears(name: string): boolean {
    return hears(this.silence, name)
  }

  ready(status: boolean): void {
    this.act({ msg: 'c_ready_up', status })
  }

  rename(name: string): void {
    this.act({ msg: 'c_updateinfo', userinfo: { name } })
  }

  // What the server says

  protected foldOwn = fold

  protected override fold(state: TableState, message: ServerMessage | SceneMessage): TableState {
    const next = super.fold(state, message)
    const whole = 'type' in message && message.type === 'extras_scene'
    return whole ? { ...next, names: message.names } : next
  }

  protected endsGreeting(message: ServerMessage | SceneMessage): boolean {
    return 'msg' in message && message.msg === (this.watch ? 's_gamestate' : 's_cardsplayed')
  }

  protected errorIn(message: ServerMessage | SceneMessage): ServerError | null {
    if (!('msg' in message)) return null
    if (message.msg === 's_error') return { message: message.desc, code: message.code }
    if (message.msg === 's_rejectclient') return { message: message.desc, code: message.reason }
    return null
  }

  protected override refused(error: ServerError): void {
    if (!error.code?.startsWith('reject_')) {
      super.refused(error)
      return
    }
    this.rejected = error.code
    this.refusal = { why: error.message, exists: error.code !== 'reject_no_such_table' }
    // The close that follows looks like an ordinary one: without this, we would come back.
    this.leave()
  }

  protected override password(): string | null {
    return passwordFor(this.code) || null
  }

  protected sitters({ names, players }: TableState): Record<number, Sitter> {
    const bots = players.filter((player) => player.is_bot).map(({ name }) => name)
    return { ...names.map((name) => ({ name, bot: bots.includes(name) })) }
  }

  protected override news(before: TableState, message: ServerMessage | SceneMessage): News {
    if ('type' in message) return super.news(before, message)
    if (message.msg === 's_chat_msg') {
      const { author, body } = message
      return {
        written: body,
        by: author,
        aloud: t('{name} says: {text}', { name: author, text: body }),
      }
    }
    if (message.msg !== 's_gamestate' || message.stage === before.game.stage) return {}
    if (message.stage === 'round_end') return { sound: 'good' }
    return message.stage === 'game_end' ? { sound: 'end' } : {}
  }

  protected override settle(): void {
    super.settle()
    if (this.cards.packs !== this.state.packs) this.cards.packs = this.state.packs
    const judge = this.board.judge
    const name = judge === undefined ? '' : this.desk.name(judge)
    const turns = this.state.players.some((player) => player.name === name && player.turns)
    this.board.settle(turns && !this.desk.sitters[judge ?? -1]?.bot)
  }

  protected override greeted(): void {
    this.#keep()
    this.ended = Date.now()
    this.#beginEagerly()
  }

  protected override informed(): void {
    this.#beginEagerly()
  }

  protected override happened(message: ServerMessage | SceneMessage, before: TableState): void {
    if ('type' in message) {
      super.happened(message, before)
      return
    }
    switch (message.msg) {
      case 's_clientinfo':
        this.#keep()
        break
      case 's_players':
        this.silence = afterRenames(this.silence, before.players, this.state.players)
        this.#beginEagerly()
        // What only a host is shown may have changed since it was last asked for.
        if (this.me?.host && !playerOf(before, before.me)?.host) void this.control.refresh()
        break
      case 's_allcards':
        void this.control.refresh()
        break
      case 's_chat_msg':
        this.#cheer(message.author, message.body)
        break
      case 's_gamestate':
        this.#beginEagerly()
        if (message.stage === before.game.stage) break
        this.ended = Date.now()
        if (message.stage === 'game_starting') void this.control.refresh()
    }
  }

  #keep(): void {
    if (this.state.token) keepToken(this.code, this.state.token)
  }

  #cheer(by: string, body: string): void {
    if (!CHEERS.some((cheer) => cheer === body) || !this.hears(by)) return
    const cheer = { id: this.#cheers++, by, text: body }
    this.cheers = [...this.cheers.slice(-11), cheer]
    setTimeout(() => (this.cheers = this.cheers.filter(({ id }) => id !== cheer.id)), CHEER_TIME)
  }

  #beginEagerly(): void {
    const { stage, ready_up } = this.state.game
    if (!this.again || stage !== 'game_starting' || !ready_up || this.me?.ready_up) return
    if (!this.prepared()) return
    this.again = false
    this.ready(true)
  }
}
