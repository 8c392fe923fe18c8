import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Socket } from './socket.svelte'

vi.mock('./trouble', () => ({ findTrouble: () => Promise.resolve('The disk is full.') }))

/** The browser's end of a connection; the test plays the network. */
class FakeWebSocket {
  static readonly OPEN = 1
  static all: FakeWebSocket[] = []
  readyState = 0
  sent: unknown[] = []
  closed = false
  onopen: (() => void) | null = null
  onmessage: ((event: { data: string }) => void) | null = null
  onclose: ((event: { code: number; reason: string }) => void) | null = null

  constructor(readonly url: string) {
    FakeWebSocket.all.push(this)
  }

  send(data: string): void {
    this.sent.push(JSON.parse(data))
  }

  close(): void {
    this.closed = true
  }

  open(): void {
    this.readyState = 1
    this.onopen?.()
  }

  tell(message: unknown): void {
    this.onmessage?.({ data: JSON.stringify(message) })
  }

  cut(code = 1006): void {
    this.readyState = 3
    this.onclose?.({ code, reason: '' })
  }
}

const heard: unknown[] = []
const nothing = { addEventListener: () => {}, removeEventListener: () => {} }
const last = (): FakeWebSocket => FakeWebSocket.all.at(-1)!
const seconds = (count: number) => vi.advanceTimersByTime(count * 1000)

function connected(ping?: string): Socket<unknown, string> {
  const socket = new Socket<unknown, string>({
    path: () => '/here',
    onmessage: (message) => heard.push(message),
    ping,
  })
  last().open()
  last().tell('greeting')
  return socket
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', FakeWebSocket)
  vi.stubGlobal('window', nothing)
  vi.stubGlobal('document', { ...nothing, hidden: false, querySelector: () => null })
  vi.stubGlobal('location', { protocol: 'https:', host: 'a.house', pathname: '/' })
  FakeWebSocket.all = []
  heard.length = 0
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('a server that says nothing', () => {
  it('may send what is no JSON: that is passed over', () => {
    const console = vi.spyOn(globalThis.console, 'error').mockImplementation(() => {})
    connected()
    last().onmessage?.({ data: 'hello' })
    last().tell('more')
    expect(heard).toEqual(['greeting', 'more'])
    expect(console).toHaveBeenCalledOnce()
    console.mockRestore()
  })

  it('is not waited for where nothing was sent', () => {
    const socket = connected('ping')
    seconds(3600)
    expect(socket.silent).toBe(false)
    expect(last().sent).toEqual([])
  })

  it('is asked whether it listens before anybody is told', () => {
    const socket = connected('ping')
    socket.send('move')
    seconds(1)
    expect(last().sent).toEqual(['move'])
    seconds(1)
    expect(last().sent).toEqual(['move', 'ping'])
    expect(socket.silent).toBe(false)
    seconds(2)
    expect(socket.silent).toBe(true)
    expect(last().sent).toEqual(['move', 'ping'])
  })

  it('had nothing to say if it answers that', () => {
    const socket = connected('ping')
    socket.send('move')
    seconds(3)
    last().tell('pong')
    seconds(60)
    expect(socket.silent).toBe(false)
    expect(last().sent).toEqual(['move', 'ping'])
  })

  it('is heard again, and waited for anew', () => {
    const socket = connected('ping')
    socket.send('move')
    seconds(4)
    last().tell('moved')
    expect(socket.silent).toBe(false)
    socket.send('move')
    seconds(4)
    expect(socket.silent).toBe(true)
  })

  it('may have nothing that it always answers', () => {
    const socket = connected()
    socket.send('move')
    seconds(4)
    expect(socket.silent).toBe(true)
    expect(last().sent).toEqual(['move'])
  })

  it('does not gain time by being sent more', () => {
    const socket = connected('ping')
    socket.send('move')
    seconds(1.5)
    socket.send('move')
    seconds(2.5)
    expect(socket.silent).toBe(true)
  })

  it('owes a greeting, too', () => {
    const socket = new Socket<unknown, string>({ path: () => '/here', onmessage: () => {} })
    last().open()
    seconds(4)
    expect(socket.silent).toBe(true)
  })

  it('can be connected to again, and the old connection is heard no more', () => {
    const socket = connected('ping')
    const old = last()
    socket.send('move')
    seconds(4)
    socket.retry()
    expect(FakeWebSocket.all).toHaveLength(2)
    expect(old.closed).toBe(true)
    old.tell('too late')
    old.cut()
    expect([socket.status, socket.silent]).toEqual(['connecting', false])
    expect(heard).toEqual(['greeting'])
    last().open()
    expect(socket.status).toBe('open')
  })

  it('is no matter of one that is lost', () => {
    const socket = connected('ping')
    socket.send('move')
    last().cut()
    seconds(0.1)
    expect([socket.status, socket.silent]).toEqual(['waiting', false])
    seconds(60)
    expect(socket.silent).toBe(false)
  })

  it('is left alone by who has closed', () => {
    const socket = connected('ping')
    socket.send('move')
    socket.close()
    seconds(60)
    expect([socket.status, socket.silent]).toEqual(['closed', false])
    expect(last().sent).toEqual(['move'])
  })
})

describe('trying again', () => {
  it('leaves a connection alone on which all is well', () => {
    const socket = connected('ping')
    socket.send('move')
    seconds(3)
    socket.retry()
    expect(FakeWebSocket.all).toHaveLength(1)
  })

  it('comes by itself after a loss, and at once where somebody asks for it', () => {
    const socket = connected('ping')
    last().cut()
    expect(FakeWebSocket.all).toHaveLength(1)
    seconds(1)
    expect(FakeWebSocket.all).toHaveLength(2)
    last().cut()
    socket.retry()
    expect(FakeWebSocket.all).toHaveLength(3)
    seconds(60)
    expect(FakeWebSocket.all).toHaveLength(3)
  })
})

describe('a server that goes', () => {
  it('restarts or was stopped, until it says something again', () => {
    const socket = connected()
    last().cut()
    expect(socket.restarting).toBe(false)
    seconds(1)
    last().open()
    last().cut(1012)
    expect(socket.restarting).toBe(true)
    seconds(60)
    last().cut()
    expect(socket.restarting).toBe(true)
    seconds(60)
    last().open()
    last().tell('greeting')
    expect(socket.restarting).toBe(false)
  })

  it('is asked why if it opens connections and closes them unsaid', async () => {
    const socket = connected()
    last().cut()
    for (let tries = 0; tries < 2; tries++) {
      seconds(60)
      last().open()
      last().cut(1012)
    }
    await vi.advanceTimersByTimeAsync(0)
    expect(socket.trouble).toBe('The disk is full.')
    seconds(60)
    last().open()
    expect(socket.trouble).toBe('The disk is full.')
    last().tell('greeting')
    expect(socket.trouble).toBe('')
  })
})
