/** A table's side of the control plane: what it is set to, and what its host may do to it. */
import { t } from '../../lib/messages'
import { api, type TableInfo } from '../../lib/api'
import { withSetting } from '../../lib/schema'
import { toasts } from '../../lib/toasts.svelte'

export class Control {
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

  /** Removes a player; with `ban` they cannot come back. */
  async putOut(player: number, ban: boolean): Promise<void> {
    // A player's id in the protocol is their place at the table.
    await this.#run(() => api.kick(this.#code, player, ban))
  }

  /** Changes one setting, wherever it lies. */
  async configure(path: string[], value: unknown): Promise<void> {
    await this.#run(() => api.configure(this.#code, withSetting({}, path, value)))
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
      toasts.error(t('{name} is not JSON.', { name: file.name }))
      return false
    }
    const name = file.name.replace(/\.json$/i, '').slice(0, 100) || 'pack'
    return this.#run(() => api.bringPack(this.#code, name, pack))
  }

  /** Lets other tables have a pack of this one, or no longer. */
  async sharePack(name: string, shared: boolean): Promise<void> {
    await this.#run(() => api.sharePack(this.#code, name, shared))
  }

  /** Plays with what is shared at another table, too; says how many packs that were. */
  async takePacks(table: string): Promise<number> {
    let taken = 0
    try {
      const { brought } = await api.table(table)
      for (const { name, shared } of brought) {
        if (!shared) continue
        this.info = await api.takePack(this.#code, name, table)
        taken++
      }
      if (taken === 0) toasts.error(t('That table shares no packs.'))
    } catch (error) {
      toasts.error(error)
    }
    return taken
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
