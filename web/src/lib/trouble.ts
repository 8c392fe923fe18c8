/**
 * Why no socket can be opened. Browsers do not say, so the page asks over plain HTTP, and tries a
 * socket that does nothing but say hello.
 */
import { api, ApiError } from './api'
import { rooted } from './root'

/** A sentence for people; "" where there is nothing to say but that the server is away. */
export async function findTrouble(
  ask: () => Promise<unknown> = api.checkConnection,
  tryOut: () => Promise<boolean> = socketOpens,
): Promise<string> {
  try {
    await ask()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0) return ''
    return error.status < 500 ? error.message : ''
  }
  if (await tryOut()) return ''
  return (
    'The server can be reached, but WebSockets cannot: your proxy does not pass WebSocket ' +
    'upgrades, or something between here and there does not let them through.'
  )
}

const PATIENCE = 10_000

const socketOpens = (): Promise<boolean> =>
  new Promise((resolve) => {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    const ws = new WebSocket(`${scheme}://${location.host}${rooted('/api/connection/socket')}`)
    const timer = setTimeout(() => ws.close(), PATIENCE)
    let opened = false
    ws.onopen = () => (opened = true)
    ws.onclose = () => {
      clearTimeout(timer)
      resolve(opened)
    }
  })
