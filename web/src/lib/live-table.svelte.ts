/**
 * One visitor's side of a table: the connection to the server, and the state that its messages add
 * up to. It names no game: each game's table extends `LiveTable` with its own messages, actions and
 * sentences.
 *
 * After every (re)connection the server first sends a greeting: the messages that describe the
 * table as it stands, up to the one that the game says is the last (`endsGreeting`). They take
 * effect together and in silence; an incomplete greeting changes nothing. Every message
 * after it is news: it waits for its turn (`Pace`), its cards fly, and it is written down and said
 * aloud.
 *
 * After a lost connection the server sends what this page missed instead of a greeting, if it is not
 * too much (`Progress`): that is news like everything else.
 *
 * In addition, the server sends extras at every table (`extras.ts`): the queue for a seat, the
 * scores, the chat, and what happened before this connection.
 */
import { loadRefusals, t } from './messages'
import { Outgoing as Extras } from '../protocol/extras'
import { announcer } from './announcer.svelte'
import { ended, numberFor } from './deals'
import {
  extrasIn,
  noteText,
  placeInLine,
  Progress,
  uncounted,
  withExtras,
  type ExtrasRequest,
  type Noted,
  type Said,
  type TableExtras,
  type At,
} from './extras'
import { fly, returnHeldCards, type FlightOptions } from './flight'
import { TableLog } from './log.svelte'
import { fits } from './misfits'
import { Pace } from './pace'
import { motionAllowed, preferences } from './preferences.svelte'
import { refusalOf, type Refusal } from './refusal'
import { router } from './router.svelte'
import type { Shape } from './shapes'
import { Socket } from './socket.svelte'
import { play, type Sound } from './sounds'
import { toasts } from './toasts.svelte'
import { notice } from './notice.svelte'
import { visitor } from './visitor.svelte'

/** Where somebody wants to sit. */
export interface Seating {
  /** The table's code; empty where there is no table to share. */
  code: string
  /** Looking on, without a seat. */
  watch: boolean
}

/** Where the table's socket is, and what is known before the server has said anything. */
export interface Connection<State, In> extends Seating {
  /** Path and query on this origin, e.g. `/rummy?table=123456`. A function is asked again at
   *  every reconnection, for a path that depends on what the server has sent since. */
  path: string | (() => string)
  subprotocol?: string
  empty: State
  /** What the game's messages must look like. A message that does not is ignored. */
  shape: Shape<In>
  /** The extras that the table asks for. */
  extras?: string
  /** The visitor wants to play at once. */
  eager?: boolean
}

/** What the page tells about a message; a missing or empty text is not told. */
export interface News {
  /** For the list of moves. */
  written?: string
  /** Who said what is `written`. */
  by?: string
  /** For screen readers. */
  aloud?: string
  /** Played if sounds are on; by default that of a moved card. */
  sound?: Sound
}

/** The server refused a request. */
export interface ServerError {
  message: string
  code?: string
}

/** A message, and when it came (epoch milliseconds). */
interface Arrival<In> {
  message: In
  at: number
}

/** What waits to be shown: a message of the game, or how the table stands. */
type Showing<In> = Arrival<In> | TableExtras | Said | Noted

/** How long a match may take to begin at once, in milliseconds. */
const AT_ONCE = 3000
/** Missed moves that are older (in milliseconds) are shown at once. */
const LONG_AGO = 5000

export abstract class LiveTable<State, In, Out> {
  /** What the messages so far add up to. */
  state: State
  readonly log = new TableLog((name) => this.hears(name))
  refusal: Refusal | null = $state.raw(null)
  /** A complete greeting has arrived: there is a table to show. */
  known = $state(false)
  /** The last `extras_table`; `null` before the first. */
  extras: TableExtras | null = $state.raw(null)
  /** When it arrived (epoch milliseconds). */
  extrasAt = 0
  /** The element all cards lie in. */
  root: HTMLElement | null = $state.raw(null)

  readonly code: string
  readonly watch: boolean
  readonly socket: Socket<unknown, Out | ExtrasRequest>

  /** The match that the visitor asked for is about to begin: the lobby need not be shown. */
  starting: boolean = $state(false)

  /** Whether this visitor can say something here. */
  get talks(): boolean {
    return !this.watch
  }

  /** Whether others would miss this visitor in their match. */
  get needed(): boolean {
    return !this.watch && this.extras?.running === true && this.extras.seated
  }

  /** Whether the table waits for this visitor. */
  abstract readonly mine: boolean

  /** The messages of an incomplete greeting; `null` once it is complete. */
  #greeting: Arrival<In>[] | null = []
  /** This connection is not the first. */
  #back = false
  /** Nothing has arrived on this connection yet. */
  #fresh = true
  #progress = new Progress()
  /** How many milliseconds ago it happened what arrives now. */
  #ago = 0
  #pace: Pace<Showing<In>>
  #empty: State
  #shape: Shape<In>
  /** When the last listed line was said. */
  #heardAt = 0
  /** The game's own protocol has told what was said last. */
  #heard = false
  /** Whether this page has asked for longer timers. */
  #unhurried = false

  constructor(connection: Connection<State, In>) {
    const { code, watch, path, subprotocol, empty, shape, extras } = connection
    this.code = code
    this.watch = watch
    if (connection.eager && !watch) {
      this.starting = true
      setTimeout(() => (this.starting = false), AT_ONCE)
    }
    this.#empty = empty
    this.#shape = shape
    this.state = $state.raw(empty)
    this.#pace = new Pace(
      (showing) => {
        if ('message' in showing) this.#show(showing)
        else if (showing.type === 'extras_said') this.#spoken(showing)
        else if (showing.type === 'extras_note') this.#note(showing)
        else this.#stands(showing)
      },
      (showing) => {
        const wait = 'message' in showing ? this.pause(showing.message) : 0
        return wait > 0 && motionAllowed() && !document.hidden ? wait : 0
      },
    )
    const address = typeof path === 'string' ? () => path : path
    this.socket = new Socket({
      // Without a code the table is for one visitor, who needs no extras.
      path: () =>
        code ? `${withExtras(address(), extras)}&since=${this.#progress.since}` : address(),
      subprotocol,
      ping: code ? { type: 'extras_ping' } : undefined,
      onmessage: (data) => this.#receive(this.unwrap(data)),
      onopen: (again) => {
        this.#back = again
        this.#fresh = true
        this.#progress.connected()
        this.connected()
      },
      onrefused: (code, reason) => (this.refusal = refusalOf(code, reason)),
    })
  }

  /** Closes the connection; nothing happens at this table any more. */
  leave(): void {
    this.#pace.drop()
    this.socket.close()
  }

  /** Asks the server for something. Messages that wait for their turn are shown at once. */
  act(action: Out): boolean {
    this.#pace.flush()
    const sent = this.socket.send(action)
    if (!sent) {
      toasts.error(t('Connection lost. Reconnecting…'))
      returnHeldCards()
    }
    return sent
  }

  /** Asks for the next free seat; `password` where the table wants one. */
  waitForSeat(): boolean {
    return this.#ask({ type: 'extras_queue', password: this.password() })
  }

  stopWaiting(): boolean {
    return this.#ask({ type: 'extras_unqueue' })
  }

  /** Goes on without somebody who is away, or takes that back; decided by a vote unless this
   *  visitor runs the table. */
  voteOut(place: number, out: boolean): boolean {
    return this.#ask({ type: 'extras_vote', place, out })
  }

  /** Plays for so many points; 0: on and on. */
  playFor(points: number): boolean {
    return this.#ask({ type: 'extras_target', points })
  }

  /** Asks for longer timers where there are any, or no longer asks. Called whenever the wish or the
   *  table has changed. */
  askForTime(longer: boolean): void {
    if (longer === this.#unhurried || !this.extras?.timed || !this.extras.seated) return
    // Once, because another tab may have another wish.
    this.#unhurried = longer
    this.socket.send({ type: 'extras_time', longer })
  }

  /** Whether a match may be begun without a word from the visitor: the table must first be known to
   *  have timers or not, because a wish for longer ones counts from the next match on. */
  protected prepared(): boolean {
    if (!this.extras) return false
    this.askForTime(preferences.unhurried)
    return true
  }

  /** Leaves the seat: it is free for somebody else. */
  getUp(): void {
    if (!this.watch) this.socket.send({ type: 'extras_leave' })
  }

  /** Says something to all at the table; false if it could not be said. */
  say(text: string): boolean {
    this.log.say(text)
    return this.speak(text)
  }

  #ask(request: ExtrasRequest): boolean {
    const sent = this.socket.send(request)
    if (!sent) toasts.error(t('Connection lost. Reconnecting…'))
    return sent
  }

  /** Shows at once all messages that wait for their turn. */
  hurry(): void {
    if (this.#pace.busy) this.#pace.flush()
  }

  // What a game says of itself

  /** Whether `message` is the last one of a greeting. */
  protected abstract endsGreeting(message: In): boolean

  /** What is known after `message`, which arrived at `now`. Pure. */
  protected abstract fold(state: State, message: In, now: number): State

  /** The error that `message` tells of, if it is one. */
  protected abstract errorIn(message: In): ServerError | null

  /** What there is to tell of a message that led from `before` to `after`. */
  protected abstract news(before: State, message: In, after: State): News

  /** The message inside what came over the socket; not checked yet. */
  protected unwrap(data: unknown): unknown {
    return data
  }

  /** The table's password, if it has one. */
  protected password(): string | null {
    return null
  }

  /** Whether this visitor wants to hear what somebody says. */
  protected hears(_name: string): boolean {
    return true
  }

  /** Sends a chat message. A game whose protocol has chat messages overrides this. */
  protected speak(text: string): boolean {
    return this.#ask({ type: 'extras_say', text })
  }

  /** Lists what somebody said, unless the game's own protocol has told it just before. */
  #spoken({ name, text, at }: Said): void {
    this.#heardAt = at
    if (this.#heard) {
      this.#heard = false
      return
    }
    if (!this.log.isOwn(text) && this.hears(name))
      announcer.say(t('{name} says: {text}', { name, text }))
    this.#write(text, name)
  }

  /** The lines of the list of moves for the whole match, from its messages. */
  protected retold(messages: readonly In[]): string[] {
    let state = this.#empty
    return messages.flatMap((message) => {
      const extras = extrasIn(message)
      if (extras) return extras.type === 'extras_note' ? [noteText(extras)] : []
      const before = state
      state = this.fold(before, message, Date.now())
      const { written, by } = this.news(before, message, state)
      return written && !by ? [written] : []
    })
  }

  /** How long to show a message before the next one, in milliseconds. */
  protected pause(_message: In): number {
    return 0
  }

  /** How cards fly that leave the table as it was `before`. */
  protected flight(_before: State): FlightOptions {
    return {}
  }

  // What a game may do when something has happened

  /** The connection is open; its greeting follows. */
  protected connected(): void {}

  /** A greeting has taken effect, which led here from `before`. */
  protected greeted(_before: State): void {}

  /** The first `extras_table` is there. */
  protected informed(): void {}

  /** After every change of `state`: drop choices that can't be made any more. */
  protected settle(): void {}

  /** A match begins: its first messages follow. */
  protected begins(): void {
    play('deal')
  }

  /** A message that is news has taken effect, which led here from `before`. */
  protected happened(_message: In, _before: State): void {}

  /** The server refused a request. Before the first greeting, the visitor cannot enter at all. */
  protected refused({ message }: ServerError): void {
    returnHeldCards()
    if (this.known) this.complain(message)
    else this.refusal = { why: message, exists: true }
  }

  /** Shows why the server refuses something, in the visitor's language. */
  protected complain(message: string): void {
    void loadRefusals().then(() => toasts.error(message))
  }

  // How messages take effect

  #fits(message: unknown): boolean {
    return fits<unknown>(extrasIn(message) ? Extras : this.#shape, message, 'message')
  }

  #receive(data: unknown): void {
    const extras = extrasIn(data)
    if (!this.#fits(data)) {
      this.#progress.count()
      return
    }
    if (extras?.type === 'extras_at') {
      this.#announced(extras)
      return
    }
    const error = extras ? null : this.errorIn(data as In)
    if (error) {
      this.refused(error)
      return
    }
    if (!extras || !uncounted(extras)) {
      if (this.#fresh) this.#expectGreeting()
      this.#progress.count()
    }
    if (extras) this.#receiveExtras(extras)
    else this.#receiveOwn(data as In)
    if (this.#ago > LONG_AGO) this.#pace.flush()
  }

  #expectGreeting(): void {
    this.#fresh = false
    this.#pace.drop()
    this.#greeting = []
  }

  #announced(at: At): void {
    this.#progress.announced(at)
    this.#ago = at.ago ?? 0
    if (at.whole) {
      this.#expectGreeting()
    } else if (this.#fresh) {
      this.#fresh = false
      returnHeldCards()
      this.#sayBack()
    }
  }

  #receiveOwn(message: In): void {
    const arrival = { message, at: Date.now() - this.#ago }
    if (this.#greeting) {
      this.#greeting.push(arrival)
      if (this.endsGreeting(message)) this.#greet(this.#greeting)
    } else {
      this.#pace.push(arrival)
    }
  }

  #receiveExtras(extras: Extras): void {
    switch (extras.type) {
      case 'extras_story':
        return this.#catchUp(
          extras.said,
          extras.events.filter((event) => this.#fits(event)) as In[],
        )
      case 'extras_refused':
        return this.refused(extras)
      case 'extras_notice':
        notice.text = extras.text
        return
      case 'extras_commitment': {
        const { match, commitment } = extras
        if (this.watch) return
        const nonce = numberFor(match, commitment)
        this.socket.send({ type: 'extras_nonce', commitment, nonce })
        return
      }
      case 'extras_head':
        return ended(extras.match, extras.head)
      case 'extras_table':
      case 'extras_said':
      case 'extras_note':
        this.#pace.push(extras)
        return
      case 'extras_scene':
      case 'extras_change':
      case 'extras_no_scene':
        // Only a table asks for these whose messages they are.
        this.#pace.push({ message: extras as In, at: Date.now() - this.#ago })
    }
  }

  #greet(greeting: Arrival<In>[]): void {
    const before = this.state
    this.#greeting = null
    this.state = greeting.reduce((state, { message, at }) => this.fold(state, message, at), before)
    this.settle()
    this.known = true
    if (this.code && !this.watch) visitor.tables.add(this.code)
    if (this.#back) this.#sayBack()
    this.greeted(before)
  }

  #sayBack(): void {
    announcer.say(this.mine ? t('You are back. It is your turn.') : t('You are back.'))
  }

  /** After the greeting: lists the chat and the moves that this visitor missed. */
  #catchUp(said: readonly Said[], events: readonly In[]): void {
    for (const { name, text, at } of said) {
      if (at <= this.#heardAt) continue
      this.#heardAt = at
      this.#write(text, name)
    }
    this.listMissed(this.retold(events))
  }

  /** Lists those lines of the match so far that are not in the list yet. */
  protected listMissed(told: readonly string[]): void {
    const count = this.log.writeMissed(told)
    if (this.#back && count > 0) {
      announcer.say(
        t(
          'You missed {count} move: see the list of moves.|You missed {count} moves: see the list of moves.',
          { count },
        ),
      )
    }
  }

  #note(note: Noted): void {
    const text = noteText(note)
    this.log.write(text)
    announcer.say(text)
  }

  #stands(table: TableExtras): void {
    this.extrasAt = Date.now()
    if (table.running && this.extras?.running === false) this.begins()
    const waited = placeInLine(this.extras)
    const first = !this.extras
    this.extras = table
    if (first) this.informed()
    if (table.running) this.starting = false
    if (!this.watch) return
    const place = placeInLine(table)
    if (waited && table.seated) {
      announcer.say(t('A seat is free: you sit down.'))
      toasts.note(t('A seat was free: you sit at the table now.'))
      router.go(location.pathname, { replace: true })
    } else if (place && place !== waited) {
      announcer.say(
        place === 1
          ? t('You are next in line for a seat.')
          : t('You are number {place} in line.', { place }),
      )
    }
  }

  #show({ message, at }: Arrival<In>): void {
    const before = this.state
    const after = this.fold(before, message, at)
    this.animate(before, after, () => {
      this.state = after
      this.settle()
    })
    this.happened(message, before)
    const { written, by, aloud, sound } = this.news(before, message, after)
    if (by) this.#heard = true
    if (written) this.#write(written, by)
    if (by && !this.hears(by)) return
    if (written || sound) play(sound ?? 'card')
    if (aloud) announcer.say(aloud)
  }

  /** Runs `change`, and animates the cards that it moves. */
  protected animate(before: State, _after: State, change: () => void): void {
    fly(this.root, change, this.flight(before))
  }

  #write(text: string, by?: string): void {
    this.log.write(text, { by, news: this.known })
  }
}
