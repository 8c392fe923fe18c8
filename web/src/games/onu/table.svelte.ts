/** One visitor's side of an ONU table. */
import { t } from '../../lib/messages'
import type { News, Seating, ServerError } from '../../lib/live-table.svelte'
import { visitor } from '../../lib/visitor.svelte'
import type { Sitter } from '../../scenes/desk.svelte'
import type { SceneMessage } from '../../scenes/fold'
import { SceneTable } from '../../scenes/table.svelte'
import { Channel } from './channel.svelte'
import { Message, type Action } from './messages'
import {
  emptyTable,
  fold,
  nameOf,
  phaseOf,
  playerAt,
  playerCalled,
  putAway,
  type Phase,
  type TableState,
} from './state'

/** What somebody has just said, beside their seat for as long as it takes to read it. */
export interface Bubble {
  id: number
  place: number
  text: string
}

/** How long something said stays, in milliseconds. */
export const readingTime = (text: string): number => Math.min(15_000, 3_000 + 60 * text.length)

export class OnuTable extends SceneTable<TableState, Message, Action> {
  bubbles: Bubble[] = $state.raw([])

  readonly channel = new Channel(this.code)
  readonly phase: Phase = $derived(phaseOf(this.state))

  #eager: boolean
  #bubbles = 0
  /** The name asked for at this table. */
  #wantedName: string | null = null

  constructor({ code, watch, eager = false }: Seating & { eager?: boolean }) {
    super({
      code,
      watch,
      eager,
      path: `/onu?${watch ? 'watch' : 'table'}=${encodeURIComponent(code)}`,
      empty: emptyTable,
      shape: Message,
    })
    this.#eager = eager && !watch
  }

  /** What somebody at this place is just saying. */
  saying(place: number | undefined): Bubble | undefined {
    return this.bubbles.findLast((bubble) => bubble.place === place)
  }

  /** What the player in this seat is just saying. */
  sayingAt(seat: number): Bubble | undefined {
    return this.saying(playerCalled(this.state, this.state.seats[seat]?.user ?? '')?.place)
  }

  protected override speak(text: string): boolean {
    return this.act({ type: 'say', text })
  }

  rename(name: string): void {
    this.#wantedName = name
    this.act({ type: 'name', name })
  }

  toLobby(): void {
    this.state = putAway(this.state)
  }

  // What the server says

  protected foldOwn = fold

  /** A greeting is the lobby; or, while a game is played, the lobby and the game. */
  protected endsGreeting(message: Message | SceneMessage): boolean {
    return message.type === 'state' || (message.type === 'lobby' && !message.running)
  }

  protected errorIn(message: Message | SceneMessage): ServerError | null {
    return message.type === 'error' ? message : null
  }

  protected sitters(state: TableState): Record<number, Sitter> {
    const sitters = state.seats.map(({ user }, seat) => {
      const player = playerCalled(state, user)
      return {
        name: nameOf(state, seat),
        bot: player?.human === false,
        away: player?.present === false,
      }
    })
    return { ...sitters }
  }

  protected override newsOf(message: Message): News {
    if (message.type === 'ended') return { sound: 'end' }
    if (message.type !== 'said') return {}
    const { name, text } = message
    return { written: text, by: name, aloud: t('{name} says: {text}', { name, text }) }
  }

  protected override greeted(): void {
    this.#inLobby()
  }

  protected override informed(): void {
    this.#inLobby()
  }

  protected override happened(message: Message | SceneMessage): void {
    super.happened(message)
    if (message.type === 'said') this.#show(message.place, message.text)
    if (message.type === 'lobby') this.#inLobby()
  }

  #show(place: number, text: string): void {
    const bubble = { id: this.#bubbles++, place, text }
    this.bubbles = [...this.bubbles.filter((other) => other.place !== place), bubble]
    setTimeout(
      () => (this.bubbles = this.bubbles.filter(({ id }) => id !== bubble.id)),
      readingTime(text),
    )
  }

  #inLobby(): void {
    const { lobby } = this.state
    this.#keepName()
    if (!this.#eager || !lobby || lobby.running || lobby.players.length < lobby.min_seats) return
    if (this.prepared()) {
      this.#eager = false
      this.socket.send({ type: 'start' })
    }
  }

  /** A name given at the table is the visitor's name from now on. */
  #keepName(): void {
    const name = playerAt(this.state, this.state.place)?.name
    if (name && name === this.#wantedName && name !== visitor.me?.name)
      void visitor.rename(name).catch(() => {})
  }
}
