/** One visitor's side of a table whose game describes itself by scenes. */
import { fly } from '../../lib/flight'
import { LiveTable, type News, type Seating, type ServerError } from '../../lib/live-table.svelte'
import { toasts } from '../../lib/toasts.svelte'
import { visitor } from '../../lib/visitor.svelte'
import { Event, type Action } from '../../protocol/plain'
import type { Incoming } from '../../protocol/extras'
import { SceneDesk } from '../../scenes/desk.svelte'
import { EMPTY, fold, playerAt, putAway, type Message, type TableState } from './state'

/** How long to look at each change, so that it can be followed when bots answer at once. */
const PAUSE = 450

export class DescribedTable extends LiveTable<TableState, Message, Action | Incoming> {
  readonly desk: SceneDesk
  #eager: boolean

  constructor({ code, watch, game, eager }: Seating & { game: string; eager: boolean }) {
    super({
      code,
      watch,
      path: `/plain/${game}?${watch ? 'watch' : 'table'}=${code}`,
      empty: EMPTY,
      shape: Event,
      extras: 'story,scene',
    })
    this.#eager = eager
    this.desk = new SceneDesk({
      act: watch ? null : (action, fields) => void this.act({ type: 'extras_act', action, fields }),
      hurry: () => this.hurry(),
    })
  }

  get mine(): boolean {
    return this.desk.mine
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

  protected fold = fold

  protected endsGreeting(message: Message): boolean {
    return message.type === 'lobby'
  }

  protected errorIn(message: Message): ServerError | null {
    return message.type === 'error' ? message : null
  }

  protected news(_before: TableState, message: Message, after: TableState): News {
    switch (message.type) {
      case 'said':
        return {
          written: message.text,
          by: message.name,
          aloud: `${message.name} says: ${message.text}`,
        }
      case 'extras_change': {
        const move = this.desk.text(message.move ?? '')
        const prompt = this.mine ? ` ${this.desk.text(after.scene?.prompt ?? '')}` : ''
        return { written: move, aloud: `${move}${prompt}`.trim() }
      }
      case 'result':
        return { sound: 'end' }
      default:
        return {}
    }
  }

  protected override retold(): string[] {
    return []
  }

  protected override pause(message: Message): number {
    return message.type === 'extras_change' && message.move ? PAUSE : 0
  }

  protected override animate(before: TableState, after: TableState, change: () => void): void {
    fly(this.desk.root, change, this.desk.flight(before.scene, after.scene))
  }

  protected override settle(): void {
    const { scene, trouble, seats } = this.state
    this.desk.take(scene, trouble)
    this.desk.sitters = Object.fromEntries(
      Object.entries(seats).map(([seat, { name, human, present }]) => [
        seat,
        { name, bot: !human, away: !present },
      ]),
    )
  }

  protected override greeted(): void {
    this.#begin()
  }

  protected override happened(message: Message): void {
    if (message.type === 'lobby') this.#begin()
    if (message.type === 'match') toasts.clear()
    if (message.type === 'extras_scene') {
      for (const move of message.moves ?? []) this.write(this.desk.text(move))
    }
  }

  #begin(): void {
    const { lobby } = this.state
    if (lobby?.running) this.state = { ...this.state, atTable: true }
    if (this.#eager && lobby && !lobby.running && lobby.players.length >= lobby.min_seats) {
      this.#eager = false
      this.socket.send({ type: 'start' })
    }
  }

  get myName(): string {
    return playerAt(this.state, this.state.place)?.name ?? ''
  }
}
