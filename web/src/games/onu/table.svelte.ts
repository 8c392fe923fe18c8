/** One visitor's side of an ONU table: what they hold, choose and do. */
import type { Timer } from '../../lib/clock.svelte'
import type { FlightOptions } from '../../lib/flight'
import { LiveTable, type News, type Seating, type ServerError } from '../../lib/live-table.svelte'
import { toasts } from '../../lib/toasts.svelte'
import { visitor } from '../../lib/visitor.svelte'
import { Channel } from './channel.svelte'
import { commonestColour, compareCards, fits, isWild } from './faces'
import { Message, type Action, type Card } from './messages'
import {
  emptyTable,
  fold,
  isMine,
  mySeat,
  nothingToDraw,
  phaseOf,
  playerAt,
  playerCalled,
  putAway,
  topOf,
  type Phase,
  type TableState,
} from './state'
import { asked, told, whyNotAct, whyNotPlay } from './words'

/** What somebody has just said, beside their seat for as long as it takes to read it. */
export interface Bubble {
  id: number
  place: number
  text: string
}

/** How long something said stays, in milliseconds. */
export const readingTime = (text: string): number => Math.min(15_000, 3_000 + 60 * text.length)

/** A greeting is the lobby; or, while a game is played, the lobby and the game. */
export const endsGreeting = (message: Message): boolean =>
  message.type === 'state' || (message.type === 'lobby' && !message.running)

/** Until when to wait for a move, on this clock. The server's may be wrong by a lot: then a turn
 *  just begins. */
export function timerOf(deadline: number, seconds: number, now: number): Timer {
  const total = seconds * 1000
  // Plus the longest time that earlier messages are shown before the prompt.
  const believed = deadline > now && deadline < now + total + 20_000
  const left = believed ? deadline - now : total
  return { until: now + left, total: Math.max(total, left) }
}

export class OnuTable extends LiveTable<TableState, Message, Action> {
  /** The wild for which a colour is being chosen. */
  choosing: number | null = $state(null)
  bubbles: Bubble[] = $state.raw([])
  /** How long the awaited player has, if they are there. */
  #timer: Timer | null = $state.raw(null)

  readonly channel = new Channel(this.code)
  readonly phase: Phase = $derived(phaseOf(this.state))
  readonly mine = $derived(isMine(this.state))
  readonly seat: number = $derived(mySeat(this.state))
  /** One's own cards as they are shown: by colour. */
  readonly hand: number[] = $derived(this.#sorted())
  readonly whyNotDraw: string = $derived(whyNotAct(this.state))
  /** Drawing would only pass. */
  readonly passes: boolean = $derived(this.state.game !== null && nothingToDraw(this.state.game))
  /** What to offer first for a wild. */
  readonly bestColour: number = $derived(commonestColour(this.hand.map((card) => this.face(card))))

  #eager: boolean
  #bubbles = 0
  /** The name asked for at this table. */
  #wantedName: string | null = null

  constructor({ code, watch, eager = false }: Seating & { eager?: boolean }) {
    super({
      code,
      watch,
      path: `/onu?${watch ? 'watch' : 'table'}=${encodeURIComponent(code)}`,
      empty: emptyTable,
      shape: Message,
    })
    this.#eager = eager && !watch
  }

  face(card: number): Card {
    return this.state.game?.faces[card] ?? { Color: 4, Number: -1, Effect: 0 }
  }

  fits(card: number): boolean {
    return this.mine && this.state.game !== null && fits(this.face(card), topOf(this.state.game))
  }

  /** What somebody at this place is just saying. */
  saying(place: number | undefined): Bubble | undefined {
    return this.bubbles.findLast((bubble) => bubble.place === place)
  }

  #sorted(): number[] {
    const { game } = this.state
    const hand = game?.seats[this.seat]?.hand ?? []
    return hand.toSorted((a, b) => compareCards(this.face(a), this.face(b)) || a - b)
  }

  // What the visitor does

  /** Plays a card; for a wild, asks for its colour first. */
  play(card: number): void {
    const reason = whyNotPlay(this.state, card)
    if (reason) toasts.note(reason)
    else if (isWild(this.face(card))) this.choosing = card
    else this.#send(card)
  }

  choose(colour: number): void {
    const card = this.choosing
    this.choosing = null
    if (card !== null && whyNotPlay(this.state, card) === '') this.#send(card, colour)
  }

  #send(card: number, color?: number): void {
    const index = this.state.game?.seats[this.seat]?.hand.indexOf(card) ?? -1
    if (index < 0) return
    this.act(color === undefined ? { type: 'play', index } : { type: 'play', index, color })
  }

  draw(): void {
    this.choosing = null
    if (this.whyNotDraw === '') this.act({ type: 'draw' })
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

  protected fold = fold
  protected endsGreeting = endsGreeting

  protected errorIn(message: Message): ServerError | null {
    return message.type === 'error' ? message : null
  }

  protected news(before: TableState, message: Message, after: TableState): News {
    if (message.type === 'said') {
      return {
        written: message.text,
        by: message.name,
        aloud: `${message.name} says: ${message.text}`,
      }
    }
    if (message.type === 'prompted') return { aloud: asked(after) }
    const text = told(before, message, after)
    return { written: text, aloud: text, ...(message.type === 'ended' && { sound: 'end' }) }
  }

  /** Slow enough to be followed, also where bots answer at once. */
  protected override pause(message: Message): number {
    switch (message.type) {
      case 'dealt':
        return 500
      case 'played':
        return 600
      case 'drew':
        // The visitor's own drawn card can be played at once, so there is no pause.
        return message.seat === this.seat ? 0 : 350
      case 'reshuffled':
        return 350
      case 'skipped':
      case 'passed':
        return 250
      default:
        return 0
    }
  }

  protected override flight(before: TableState): FlightOptions {
    return { duration: 320, from: (card) => zoneOf(before, Number(card)) }
  }

  protected override settle(): void {
    const { game } = this.state
    if (this.choosing !== null && (!this.mine || !this.hand.includes(this.choosing))) {
      this.choosing = null
    }
    if (!game?.awaited) this.#timer = null
  }

  protected override greeted(): void {
    if (this.state.game?.awaited) this.#setTimer(this.state.game.deadline)
    this.#inLobby()
  }

  protected override happened(message: Message): void {
    switch (message.type) {
      case 'said':
        this.#show(message.place, message.text)
        break
      case 'lobby':
        this.#inLobby()
        break
      case 'prompted':
        this.#setTimer(message.deadline)
        break
      case 'dealt':
      case 'ended':
        toasts.clear()
        break
    }
  }

  /** The time that the player in this seat has left. The turns of absent players end sooner than the
   *  prompt says, so they have no timer. */
  timerAt(seat: number): Timer | null {
    const { game } = this.state
    const one = game?.seats[seat]
    const here = one && playerCalled(this.state, one.user)?.present
    return here && !game.over && game.turn === seat ? this.#timer : null
  }

  #setTimer(deadline: number): void {
    const seconds = Number(this.state.lobby?.settings['turnTimeout'] ?? 60)
    this.#timer = timerOf(deadline, seconds, Date.now())
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
    if (this.#eager && lobby && !lobby.running && lobby.players.length >= lobby.min_seats) {
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

/** Where a card lay that had no element of its own: new ones come from the deck. */
function zoneOf({ game }: TableState, card: number): string {
  const holder = game?.seats.findIndex(({ hand }) => hand.includes(card)) ?? -1
  return holder < 0 ? 'deck' : `hand:${holder}`
}
