/**
 * Why no socket can be opened. Browsers do not say, so the page asks over plain HTTP, and opens a
 * test socket.
 */
import { t } from './messages'
import { api, ApiError } from './api'
import { rooted } from './root'

/** A sentence for people; "" if the server just cannot be reached. */
export async function findTrouble(
  ask: () => Promise<unknown> = api.checkConnection,
  tryOut: () => Promise<boolean> = socketOpens,
): Promise<string> {
  try {
    await ask()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0) return ''
    // The answer of a proxy in place of the server has no code of ours.
    return error.code === 'failed' ? '' : error.message
  }
  if (await tryOut()) return ''
  return t(
    'The server answers, but WebSocket connections fail. Either your proxy does not pass WebSocket upgrades, or a firewall blocks them.',
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
