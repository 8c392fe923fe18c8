/** The game night this visitor is at: asked for again and again, wherever on the page they are. */
import { ApiError, ask } from '../lib/api'
import { readStored, store } from '../lib/storage'
import { EveningInfo, type NextTable } from '../protocol/evenings'

const KEY = 'parlour.evening'

/** The code of the game night that the visitor has joined. */
function kept(): string {
  const code = readStored(KEY)
  return typeof code === 'string' ? code : ''
}

class Evening {
  /** "": none. It is kept, so that a lost tab finds its way back. */
  code: string = $state('')
  info: EveningInfo | null = $state.raw(null)
  /** There is no such game night, or it is over. */
  gone = $state(false)

  readonly me = $derived(this.info?.members.find(({ you, left }) => you && !left) ?? null)
  readonly present = $derived(this.info?.members.filter(({ left }) => !left) ?? [])

  constructor() {
    this.code = kept()
  }

  /** Look at a game night, to join it or because the visitor is there already. */
  look(code: string): void {
    if (code === this.code) return
    this.code = code
    this.info = null
    this.gone = false
  }

  /** Back to the visitor's own game night, from one that they only looked at. */
  lookAway(): void {
    if (!this.me) this.look(kept())
  }

  async refresh(): Promise<void> {
    const { code } = this
    try {
      await this.#ask('GET')
    } catch (error) {
      // Otherwise the next request may succeed.
      if (!(error instanceof ApiError) || error.code !== 'no-such-evening') return
      if (code === kept()) store(KEY, '')
      if (code === this.code) this.gone = true
    }
  }

  async open(): Promise<string> {
    const info = await ask(EveningInfo, 'POST', '/api/evenings')
    this.look(info.code)
    this.info = info
    store(KEY, info.code)
    return info.code
  }

  async join(): Promise<void> {
    store(KEY, await this.#ask('POST', '/members'))
  }

  async leave(): Promise<void> {
    const code = await this.#ask('DELETE', '/members')
    if (code === kept()) store(KEY, '')
    if (code === this.code) this.look('')
  }

  async vote(game: string): Promise<void> {
    await this.#ask('PUT', '/vote', { game })
  }

  async makeHost(member: number): Promise<void> {
    await this.#ask('PUT', '/host', { member })
  }

  async play(table: NextTable): Promise<void> {
    await this.#ask('POST', '/tables', table)
  }

  /** Returns the code that it asked about: the visitor may look at another game night by now. */
  async #ask(method: string, path = '', body?: object): Promise<string> {
    const { code } = this
    const info = await ask(EveningInfo, method, `/api/evenings/${code}${path}`, body)
    if (code === this.code) this.info = info
    return code
  }
}

export const evening = new Evening()
