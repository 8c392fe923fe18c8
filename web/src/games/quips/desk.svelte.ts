/** A table's side of the control plane: what it is set to, and what its opener may do to it. */
import { api, type TableInfo } from '../../lib/api'
import { toasts } from '../../lib/toasts.svelte'

export class Desk {
  /** What the control plane last said; `null` until it has answered. */
  info: TableInfo | null = $state.raw(null)
  readonly #code: string

  constructor(code: string) {
    this.#code = code
    void this.refresh()
  }

  async refresh(): Promise<void> {
    this.info = await api.table(this.#code).catch(() => this.info)
  }

  /** A setting of the table; `usual` until it is known. */
  setting<T>(name: string, usual: T): T {
    return (this.info?.settings[name] as T | undefined) ?? usual
  }

  /** Puts a player out; `ban`: for good. */
  async putOut(player: number, ban: boolean): Promise<void> {
    // A player's id in the protocol is their place at the table.
    await this.#run(() => api.kick(this.#code, player, ban))
  }

  async addBot(strength: string): Promise<void> {
    await this.#run(() => api.addBot(this.#code, strength))
  }

  async removeBot(): Promise<void> {
    await this.#run(() => api.removeBot(this.#code))
  }

  async lock(locked: boolean): Promise<void> {
    await this.#run(() => api.lock(this.#code, locked))
  }

  /** Plays with the pack in this file, too. The server says what is wrong with a wrong one. */
  async bringPack(file: File): Promise<boolean> {
    let pack: unknown
    try {
      pack = JSON.parse(await file.text())
    } catch {
      toasts.error(`${file.name} is not JSON.`)
      return false
    }
    const name = file.name.replace(/\.json$/i, '').slice(0, 100) || 'pack'
    return this.#run(() => api.bringPack(this.#code, name, pack))
  }

  async #run(ask: () => Promise<TableInfo>): Promise<boolean> {
    try {
      this.info = await ask()
      return true
    } catch (error) {
      toasts.error(error)
      return false
    }
  }
}
