/** A WebSocket that reconnects by itself, with back-off: JSON in both directions. */
import { isFinal, retryDelay } from './backoff'
import { report } from './misfits'
import { rooted } from './root'
import { findTrouble } from './trouble'

/** A server that restarts is back after one or two attempts; then it is worth a look why not. */
const LOOK_AFTER = 3
/** How long the server may take to answer before we ask whether it listens, and then to say so. */
const PATIENCE = 2000

export type ConnectionStatus = 'connecting' | 'open' | 'waiting' | 'closed'

export interface SocketOptions<In, Out> {
  /** Path and query on this origin, e.g. `/rummy?table=123456`; asked for at every attempt. */
  path: () => string
  onmessage: (message: In) => void
  /** A connection stands; `again` is true for every one after the first. */
  onopen?: (again: boolean) => void
  /** The server closed for good (unknown table, full table …): no further attempt is made. */
  onrefused?: (code: number, reason: string) => void
  subprotocol?: string | undefined
  /** What the server always answers. Of other messages there may be nothing to say. */
  ping?: Out | undefined
}

export class Socket<In, Out> {
  status: ConnectionStatus = $state('connecting')
  /** When the next attempt is made (epoch milliseconds), while `status` is "waiting". */
  retryAt: number = $state(0)
  /** Why no connection stands, where that is known: a sentence for people. */
  trouble: string = $state('')
  /** The connection stands, but the server owes us an answer and says nothing. */
  silent: boolean = $state(false)

  #options: SocketOptions<In, Out>
  #ws: WebSocket | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #opened = 0
  /** Runs while something is to be heard. */
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

  /** Try now instead of waiting for the back-off, or for who says nothing. */
  retry = (): void => {
    if (this.status !== 'waiting' && !this.silent) return
    clearTimeout(this.#timer)
    this.#drop()
    this.#connect()
  }

  /** Gives up a connection without waiting for the other side, which may be gone. */
  #drop(): void {
    this.#heard()
    if (!this.#ws) return
    this.#ws.onopen = this.#ws.onmessage = this.#ws.onclose = null
    this.#ws.close()
  }

  /** Something should be heard soon. */
  #expect(): void {
    this.#listening ??= setTimeout(() => {
      const { ping } = this.#options
      if (ping) this.#ws?.send(JSON.stringify(ping))
      this.#listening = setTimeout(() => (this.silent = true), PATIENCE)
    }, PATIENCE)
  }

  /** Something was heard, or there is nothing to listen to any more. */
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
    let opened = false
    ws.onopen = () => {
      opened = true
      this.status = 'open'
      this.trouble = ''
      this.#expect()
      this.#options.onopen?.(this.#opened++ > 0)
    }
    ws.onmessage = (event: MessageEvent<string>) => {
      this.#failures = 0
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
      if (!opened && this.#failures === LOOK_AFTER) void this.#look()
      this.status = 'waiting'
      this.retryAt = Date.now() + wait
      this.#timer = setTimeout(this.retry, wait)
    }
  }
}
