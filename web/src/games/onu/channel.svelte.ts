/** A table's channel on the relay: who is there, who hosts, and what the opener may do about it. */
import { api, ask } from '../../lib/api'
import { toasts } from '../../lib/toasts.svelte'
import { ChannelInfo, ChannelTable } from '../../protocol/wcp'

/** The code of the table that is open in a channel; throws if there is none. */
export const tableIn = async (channel: string): Promise<string> =>
  (await ask(ChannelTable, 'GET', `/api/channels/${encodeURIComponent(channel)}/table`)).code

export class Channel {
  /** What the server last said; `null` until it has answered. */
  info: ChannelInfo | null = $state.raw(null)
  readonly #code: string

  constructor(code: string) {
    this.#code = code
  }

  async refresh(): Promise<void> {
    const asked = ask(ChannelInfo, 'GET', `/api/tables/${this.#code}/channel`)
    this.info = await asked.catch(() => this.info)
  }

  seat(user: string): Promise<void> {
    return this.#run(async () => {
      this.info = await ask(ChannelInfo, 'POST', `/api/tables/${this.#code}/seats`, { user })
    })
  }

  /** Asks again whether somebody else hosts there; `override` hosts in any case. */
  host(override: boolean): Promise<void> {
    return this.#run(async () => {
      this.info = await ask(ChannelInfo, 'POST', `/api/tables/${this.#code}/host`, { override })
    })
  }

  addBot(strength: string): Promise<void> {
    return this.#run(() => api.addBot(this.#code, strength))
  }

  removeBot(place: number): Promise<void> {
    return this.#run(() => api.removeBot(this.#code, place))
  }

  putOut(place: number): Promise<void> {
    return this.#run(() => api.kick(this.#code, place, false))
  }

  start(): Promise<void> {
    return this.#run(() => api.start(this.#code))
  }

  async #run(change: () => Promise<unknown>): Promise<void> {
    try {
      await change()
    } catch (error) {
      toasts.error(error)
    }
  }
}
