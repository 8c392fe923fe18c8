/** One visitor's side of a table whose game describes itself by scenes. */
import { t } from '../../lib/messages'
import type { News, ServerError } from '../../lib/live-table.svelte'
import { visitor } from '../../lib/visitor.svelte'
import { Event, type Action } from '../../protocol/plain'
import type { Sitter } from '../../scenes/desk.svelte'
import type { SceneMessage } from '../../scenes/fold'
import { SceneTable } from '../../scenes/table.svelte'
import type { TableProps } from '../game'
import { EMPTY, fold, putAway, type TableState } from './state'

export class DescribedTable extends SceneTable<TableState, Event, Action> {
  #eager: boolean

  constructor({ code, watch, game, eager }: TableProps) {
    super({
      code,
      watch,
      eager,
      path: `/plain/${game.id}?${watch ? 'watch' : 'table'}=${code}`,
      empty: EMPTY,
      shape: Event,
    })
    this.#eager = eager
  }

  protected override speak(text: string): boolean {
    return this.act({ type: 'say', text })
  }

  rename(name: string): void {
    this.act({ type: 'name', name })
    void visitor.rename(name).catch(() => {})
  }

  toLobby(): void {
    this.state = putAway(this.state)
  }

  // What the server says

  protected foldOwn = fold

  protected endsGreeting(message: Event | SceneMessage): boolean {
    return message.type === 'lobby'
  }

  protected errorIn(message: Event | SceneMessage): ServerError | null {
    return message.type === 'error' ? message : null
  }

  protected sitters({ seats }: TableState): Record<number, Sitter> {
    const sitters = Object.values(seats).map(
      ({ seat, name, human, present }) => [seat, { name, bot: !human, away: !present }] as const,
    )
    return Object.fromEntries(sitters)
  }

  protected override newsOf(message: Event): News {
    if (message.type === 'result') return { sound: 'end' }
    if (message.type !== 'said') return {}
    const { name, text } = message
    return { written: text, by: name, aloud: t('{name} says: {text}', { name, text }) }
  }

  protected override greeted(): void {
    this.#begin()
  }

  protected override happened(message: Event | SceneMessage): void {
    super.happened(message)
    if (message.type === 'lobby') this.#begin()
  }

  #begin(): void {
    const { lobby } = this.state
    if (lobby?.running) this.state = { ...this.state, atTable: true }
    if (this.#eager && lobby && !lobby.running && lobby.players.length >= lobby.min_seats) {
      this.#eager = false
      this.socket.send({ type: 'start' })
    }
  }
}
