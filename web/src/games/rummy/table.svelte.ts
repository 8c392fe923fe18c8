/** One visitor's side of a rummy table. */
import { api, type TableInfo } from '../../lib/api'
import type { News, ServerError } from '../../lib/live-table.svelte'
import { visitor } from '../../lib/visitor.svelte'
import { Event, type Action, type Settings } from '../../protocol/rummy'
import type { Sitter } from '../../scenes/desk.svelte'
import type { SceneMessage } from '../../scenes/fold'
import { SceneTable } from '../../scenes/table.svelte'
import type { TableProps } from '../game'
import { emptyTable, fold, leaveRound, type TableState } from './state'

export class RummyTable extends SceneTable<TableState, Event, Action> {
  /** What the HTTP API says of this table: settings as they were chosen. */
  info: TableInfo | null = $state.raw(null)

  /** Start as soon as two sit here. */
  #eager: boolean
  /** The name asked for at this table. */
  #wantedName: string | null = null

  constructor({ code, watch, eager }: Pick<TableProps, 'code' | 'watch' | 'eager'>) {
    super({
      code,
      watch,
      eager,
      path: `/rummy?${watch ? 'watch' : 'table'}=${encodeURIComponent(code)}`,
      empty: emptyTable,
      shape: Event,
      // The protocol's own messages have the same fields, and refusals that say more.
      act: (action, fields) => void this.act({ type: action, ...fields } as Action),
    })
    this.#eager = eager
  }

  change(settings: Partial<Settings>): void {
    this.act({ type: 'settings', settings })
  }

  rename(name: string): void {
    this.#wantedName = name
    this.act({ type: 'name', name })
  }

  toLobby(): void {
    this.state = leaveRound(this.state)
  }

  /** Asks the HTTP API for what the protocol itself does not say. */
  async refreshInfo(): Promise<void> {
    if (document.hidden) return
    this.info = await api.table(this.code).catch(() => null)
  }

  isAway(name: string): boolean {
    return this.extras?.people.some((person) => person.name === name && person.away) ?? false
  }

  // What the server says

  protected foldOwn = fold

  /** A greeting is the lobby; or, in a round, `start`, the moves that lead here, and whose turn it
   *  is. */
  protected endsGreeting({ type }: Event | SceneMessage): boolean {
    return type === 'lobby' || type === 'turn'
  }

  protected errorIn(event: Event | SceneMessage): ServerError | null {
    return event.type === 'error' ? event : null
  }

  protected sitters({ seats }: TableState): Record<number, Sitter> {
    return { ...seats.map(({ name, human }) => ({ name, bot: !human, away: this.isAway(name) })) }
  }

  protected override newsOf(event: Event): News {
    return event.type === 'end' ? { sound: 'end' } : {}
  }

  protected override greeted(): void {
    if (this.state.phase !== 'round') this.#inLobby()
  }

  protected override happened(event: Event | SceneMessage): void {
    super.happened(event)
    if (event.type === 'lobby') this.#inLobby()
  }

  #inLobby(): void {
    this.#keepName()
    void this.refreshInfo()
    if (this.#eager && this.state.me && this.state.players.length > 1) {
      this.#eager = false
      this.socket.send({ type: 'start' })
    }
  }

  /** A name given at the table is the visitor's name from now on, unless the server added a number
   *  to it because somebody else has that name. */
  #keepName(): void {
    const name = this.state.players.find((player) => player.id === this.state.me)?.name
    if (name && name === this.#wantedName && name !== visitor.me?.name)
      void visitor.rename(name).catch(() => {})
  }
}
