/**
 * One visitor's side of a table: the connection to the server, and what is known and shown of
 * what the server told. It names no game: each game's table extends `LiveTable` with its own
 * messages, actions and sentences.
 *
 * After every (re)connection the server first sends a greeting: the messages that describe the
 * table as it stands, up to the one that the game says is the last (`endsGreeting`). They take
 * effect together and in silence; a greeting that is cut short changes nothing. Every message
 * after it is news: it waits for its turn (`Pace`), its cards fly, and it is written down and said
 * aloud.
 */
import { announcer } from './announcer.svelte'
import { fly, returnHeldCards, type FlightOptions } from './flight'
import { Pace } from './pace'
import { motionAllowed } from './preferences.svelte'
import { Socket } from './socket.svelte'
import { play, type Sound } from './sounds'
import { toasts } from './toasts.svelte'
import { visitor } from './visitor.svelte'

/** Where somebody wants to sit. */
export interface Seating {
  /** The table's code; empty where there is no table to share. */
  code: string
  /** Looking on, without a seat. */
  watch: boolean
}

/** Where the table's socket is, and what is known before the server has said anything. */
export interface Connection<State> extends Seating {
  /** Path and query on this origin, e.g. `/rummy?table=123456`. A function is asked again at
   *  every reconnection, where one has to show what was learnt since. */
  path: string | (() => string)
  subprotocol?: string
  empty: State
}

/** Why the server does not let us in; final. */
export interface Refusal {
  why: string
  /** There is such a table, so one may at least look on. */
  exists: boolean
}

/** What the code and reason of a closed socket mean; the reason is the server's own sentence. */
export function refusalOf(code: number, reason: string): Refusal {
  const exists = code !== 4404 && code !== 3003
  return {
    why: reason || (exists ? 'This table does not let you in.' : 'There is no such table.'),
    exists,
  }
}

/** A line of what happened at the table. */
export interface LogLine {
  id: number
  text: string
  /** Who said it; without a name it was done, not said. */
  by?: string
}

/** What there is to tell of a message; nothing where a text is missing or empty. */
export interface News {
  /** For the list of moves. */
  written?: string
  /** Who said what is `written`. */
  by?: string
  /** For screen readers. */
  aloud?: string
  /** For whoever has switched sounds on; that of a moved card where nothing else is said. */
  sound?: Sound
}

/** The server would not do what was asked. */
export interface ServerError {
  message: string
  code?: string
}

/** A message, and when it came (epoch milliseconds). */
interface Arrival<In> {
  message: In
  at: number
}

const LOG_LENGTH = 80

export abstract class LiveTable<State, In, Out> {
  /** What the messages so far add up to. */
  state: State
  log: LogLine[] = $state.raw([])
  refusal: Refusal | null = $state.raw(null)
  /** A greeting has arrived whole: there is a table to show. */
  known = $state(false)
  /** The element all cards lie in. */
  root: HTMLElement | null = $state.raw(null)

  readonly code: string
  readonly watch: boolean
  readonly socket: Socket<unknown, Out>

  /** Whether the table waits for this visitor. */
  abstract readonly mine: boolean

  /** What has come of a greeting so far; `null` once it is over. */
  #greeting: Arrival<In>[] | null = []
  /** This connection is not the first. */
  #back = false
  #pace: Pace<Arrival<In>>
  #lines = 0

  constructor({ code, watch, path, subprotocol, empty }: Connection<State>) {
    this.code = code
    this.watch = watch
    this.state = $state.raw(empty)
    this.#pace = new Pace(
      (arrival) => this.#show(arrival),
      ({ message }) => {
        const wait = this.pause(message)
        return wait > 0 && motionAllowed() && !document.hidden ? wait : 0
      },
    )
    this.socket = new Socket({
      path: typeof path === 'string' ? () => path : path,
      subprotocol,
      onmessage: (data) => this.#receive(this.unwrap(data)),
      onopen: (again) => {
        this.#back = again
        this.#pace.drop()
        this.#greeting = []
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

  /** Asks the server for something. What is still being shown is shown at once. */
  act(action: Out): boolean {
    this.#pace.flush()
    const sent = this.socket.send(action)
    if (!sent) {
      toasts.error('The line to the table is cut just now.')
      returnHeldCards()
    }
    return sent
  }

  /** Shows at once what is still waiting to be shown. */
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

  /** The message inside what came over the socket. */
  protected unwrap(data: unknown): In {
    return data as In
  }

  /** How long to look at a message before the next one, in milliseconds. */
  protected pause(_message: In): number {
    return 0
  }

  /** How cards fly that leave the table as it was `before`. */
  protected flight(_before: State): FlightOptions {
    return {}
  }

  // What a game may do when something has happened

  /** A connection stands; its greeting follows. */
  protected connected(): void {}

  /** A greeting has taken effect, which led here from `before`. */
  protected greeted(_before: State): void {}

  /** After every change of `state`: drop choices that can't be made any more. */
  protected settle(): void {}

  /** A message that is news has taken effect, which led here from `before`. */
  protected happened(_message: In, _before: State): void {}

  /** The server refused something. Before there is a table, that is the end of it. */
  protected refused({ message }: ServerError): void {
    returnHeldCards()
    if (this.known) toasts.error(message)
    else this.refusal = { why: message, exists: true }
  }

  // How messages take effect

  #receive(message: In): void {
    const arrival = { message, at: Date.now() }
    const error = this.errorIn(message)
    if (error) {
      this.refused(error)
    } else if (this.#greeting) {
      this.#greeting.push(arrival)
      if (this.endsGreeting(message)) this.#greet(this.#greeting)
    } else {
      this.#pace.push(arrival)
    }
  }

  #greet(greeting: Arrival<In>[]): void {
    const before = this.state
    this.#greeting = null
    this.state = greeting.reduce((state, { message, at }) => this.fold(state, message, at), before)
    this.settle()
    this.known = true
    if (this.code && !this.watch) visitor.tables.add(this.code)
    if (this.#back) announcer.say(`You are back.${this.mine ? ' It is your turn.' : ''}`)
    this.greeted(before)
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
    if (written) this.write(written, by)
    if (written || sound) play(sound ?? 'card')
    if (aloud) announcer.say(aloud)
  }

  /** Runs `change`, and lets what it moves be seen moving. */
  protected animate(before: State, _after: State, change: () => void): void {
    fly(this.root, change, this.flight(before))
  }

  protected write(text: string, by?: string): void {
    const line = { id: this.#lines++, text, ...(by && { by }) }
    this.log = [...this.log.slice(1 - LOG_LENGTH), line]
  }
}
