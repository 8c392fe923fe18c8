/** A WebSocket that reconnects by itself, with back-off: JSON in both directions. */
import { isFinal, leaves, retryDelay } from './backoff'
import { report } from './misfits'
import { rooted } from './root'
import { findTrouble } from './trouble'

/** A restarting server is back after one or two attempts; after three, find out what is wrong. */
const LOOK_AFTER = 3
/** Milliseconds that the server has to answer a message, and then to answer a ping. */
const PATIENCE = 2000

export type ConnectionStatus = 'connecting' | 'open' | 'waiting' | 'closed'

export interface SocketOptions<In, Out> {
  /** Path and query on this origin, e.g. `/rummy?table=123456`; asked for at every attempt. */
  path: () => string
  onmessage: (message: In) => void
  /** The connection is open; `again` is true for every connection after the first. */
  onopen?: (again: boolean) => void
  /** The server refused the connection (unknown table, full table …): there is no retry. */
  onrefused?: (code: number, reason: string) => void
  subprotocol?: string | undefined
  /** A message that the server always answers; others may have no answer. */
  ping?: Out | undefined
}

export class Socket<In, Out> {
  status: ConnectionStatus = $state('connecting')
  /** When the next attempt is made (epoch milliseconds), while `status` is "waiting". */
  retryAt: number = $state(0)
  /** Why there is no connection, if that is known: a sentence for people. */
  trouble: string = $state('')
  /** The server itself closed the connection, to restart or to stop. */
  restarting: boolean = $state(false)
  /** The connection is open, but the server has not answered in time. */
  silent: boolean = $state(false)

  #options: SocketOptions<In, Out>
  #ws: WebSocket | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #opened = 0
  /** Runs while an answer is expected. */
  #listening: ReturnType<typeof setTimeout> | undefined

  constructor(options: SocketOptions<In, Out>) {
    this.#options = options
    window.addEventListener('online', this.retry)
    document.addEventListener('visibilitychange', this.#onvisible)
    this.#connect()
  }

  /** False when there is no connection; nothing is queued, because the moment may have passed. */
  send(message: Out): boolean {
    if (this.#ws?.readyState !== WebSocket.OPEN) return false
    this.#ws.send(JSON.stringify(message))
    this.#expect()
    return true
  }

  close(): void {
    this.status = 'closed'
    this.#heard()
    clearTimeout(this.#timer)
    window.removeEventListener('online', this.retry)
    document.removeEventListener('visibilitychange', this.#onvisible)
    this.#ws?.close(1000)
  }

  /** Connects now, instead of waiting for the back-off or for a silent server. */
  retry = (): void => {
    if (this.status !== 'waiting' && !this.silent) return
    clearTimeout(this.#timer)
    this.#drop()
    this.#connect()
  }

  /** Drops the connection without waiting for the server, which may be gone. */
  #drop(): void {
    this.#heard()
    if (!this.#ws) return
    this.#ws.onopen = this.#ws.onmessage = this.#ws.onclose = null
    this.#ws.close()
  }

  /** An answer is expected soon. */
  #expect(): void {
    this.#listening ??= setTimeout(() => {
      const { ping } = this.#options
      if (ping) this.#ws?.send(JSON.stringify(ping))
      this.#listening = setTimeout(() => (this.silent = true), PATIENCE)
    }, PATIENCE)
  }

  /** A message arrived, or the connection is closed. */
  #heard(): void {
    clearTimeout(this.#listening)
    this.#listening = undefined
    this.silent = false
  }

  async #look(): Promise<void> {
    const trouble = await findTrouble()
    if (this.status !== 'open') this.trouble = trouble
  }

  #onvisible = (): void => {
    if (!document.hidden) this.retry()
  }

  #connect(): void {
    const { path, subprotocol } = this.#options
    this.status = 'connecting'
    const url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${rooted(path())}`
    const ws = new WebSocket(url, subprotocol ? [subprotocol] : [])
    this.#ws = ws
    ws.onopen = () => {
      this.status = 'open'
      this.#expect()
      this.#options.onopen?.(this.#opened++ > 0)
    }
    ws.onmessage = (event: MessageEvent<string>) => {
      this.#failures = 0
      this.trouble = ''
      this.restarting = false
      this.#heard()
      let message: In
      try {
        message = JSON.parse(event.data) as In
      } catch {
        return report('message is not JSON')
      }
      this.#options.onmessage(message)
    }
    ws.onclose = (event) => {
      if (this.status === 'closed') return
      this.#heard()
      if (isFinal(event.code)) {
        this.close()
        this.#options.onrefused?.(event.code, event.reason)
        return
      }
      const wait = retryDelay(this.#failures++)
      this.restarting ||= leaves(event.code)
      // A connection that was opened and told nothing has failed, too.
      if (this.#failures === LOOK_AFTER) void this.#look()
      this.status = 'waiting'
      this.retryAt = Date.now() + wait
      this.#timer = setTimeout(this.retry, wait)
    }
  }
}
