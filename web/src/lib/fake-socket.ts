/**
 * For tests: a connection whose other end is the test itself. In place of the real one:
 * `vi.mock('./socket.svelte', () => import('./fake-socket'))`.
 */
import type { TableExtras } from './extras'
import type { SocketOptions } from './socket.svelte'

/** The server's end of the connection made last. */
export const server = {
  options: {} as SocketOptions<unknown, unknown>,
  /** What was sent to it. */
  sent: [] as unknown[],
  /** Whether anything can be sent to it. */
  up: true,
  closed: false,
  /** A connection stands; `again`: not for the first time. */
  connect: (again = false): void => server.options.onopen?.(again),
  tell: (...messages: unknown[]): void => messages.forEach((one) => server.options.onmessage(one)),
}

export class Socket {
  constructor(options: SocketOptions<unknown, unknown>) {
    Object.assign(server, { options, sent: [], up: true, closed: false })
  }

  send(message: unknown): boolean {
    if (server.up) server.sent.push(message)
    return server.up
  }

  close(): void {
    server.closed = true
  }
}

/** How a table stands, as `extras_table` tells it. */
export const stand = (more: Partial<TableExtras> = {}): TableExtras => ({
  type: 'extras_table',
  running: false,
  seated: false,
  free: false,
  runs: false,
  people: [],
  ended_by: '',
  queue: [],
  scores: { target: 0, standings: [], rounds: [], winners: [] },
  timed: false,
  ...more,
})
