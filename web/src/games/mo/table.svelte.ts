/** One visitor's game of MO: the line to the server, what it told, and what is being looked at. */
import { announcer } from '../../lib/announcer.svelte'
import { letGo } from '../../lib/flight'
import { Socket } from '../../lib/socket.svelte'
import { refusalOf, type Refusal } from '../../lib/table'
import { toasts } from '../../lib/toasts.svelte'
import type { BoardMessage, HintMessage, Incoming, Outgoing, PileMessage } from '../../protocol/mo'
import { isDealt, linked, type Deal } from './deals'
import { namesOf, type Names } from './layout'
import { perform } from './motion'
import { ending, leaving, remember, remembered, type Played } from './stats'
import { told } from './words'

export class MoTable {
  board: BoardMessage | null = $state.raw(null)
  names: Names = $state.raw({})
  hint: HintMessage | null = $state.raw(null)
  /** A hint was asked for and has not come yet. */
  thinking = $state(false)
  peeked: PileMessage | null = $state.raw(null)
  /** The game has just ended, and its dialog is open. */
  over = $state(false)
  /** The dialog of deals is open, with this filled in; null: it is closed. */
  dealing: Deal | null = $state.raw(null)
  games: Played[] = $state.raw(remembered())
  refusal: Refusal | null = $state.raw(null)
  /** The element all cards lie in. */
  root: HTMLElement | null = null

  readonly socket: Socket<Outgoing, Incoming>
  readonly watch: boolean
  readonly live = $derived(this.board?.status === 'playing')
  /** There is something to lose. */
  readonly underWay = $derived(this.live && (this.board?.moves ?? 0) > 0)

  /** The next board is the server's greeting: nothing of it is news. */
  #greeting = true
  /** Changes asked for whose boards have not come yet. */
  #pending = 0
  /** Hints on their way to a position that has changed since. */
  #stale = 0

  constructor({ code, watch }: { code: string; watch: boolean }) {
    this.watch = watch
    this.socket = new Socket({
      path: watch ? `/mo?watch=${encodeURIComponent(code)}` : '/mo',
      onmessage: (message) => this.#receive(message),
      onopen: () => {
        this.#greeting = true
        this.#pending = 0
        this.#stale = 0
        this.thinking = false
      },
      onrefused: (code, reason) => (this.refusal = refusalOf(code, reason)),
    })
  }

  leave(): void {
    this.socket.close()
  }

  // What the visitor does

  play(to: string): void {
    // A second click may not play the card that comes next.
    if (this.#pending === 0 && this.board?.valid.includes(to)) this.#change({ type: 'play', to })
  }

  undo(): void {
    if (this.board?.can_undo) this.#change({ type: 'undo' })
  }

  redo(): void {
    if (this.board?.can_redo) this.#change({ type: 'redo' })
  }

  deal(deal: Deal = {}): void {
    this.dealing = null
    const before = this.board
    if (this.#change({ type: 'new', ...deal })) this.#keep(leaving(this.games, before))
  }

  /** Deals at once where nothing is lost by it, and asks otherwise. */
  offer(deal: Deal = {}): void {
    if (this.underWay) this.dealing = deal
    else this.deal(deal)
  }

  ask(): void {
    if (!this.live || this.thinking || this.watch) return
    this.thinking = this.#send({ type: 'hint' })
  }

  peek(pile: string): void {
    this.#send({ type: 'peek', pile })
  }

  /** The link the page was opened with is followed once; a reload finds the game as it is. */
  follow(search: string): void {
    const deal = linked(search)
    if (!deal || !this.board || this.watch) return
    history.replaceState(null, '', location.pathname)
    if (!isDealt(deal, this.board)) this.offer(deal)
  }

  #change(message: Incoming): boolean {
    if (this.watch || !this.#send(message)) return false
    this.#pending += 1
    return true
  }

  #send(message: Incoming): boolean {
    const sent = this.socket.send(message)
    if (!sent) {
      toasts.error('The line to the table is cut just now.')
      letGo()
    }
    return sent
  }

  #keep(games: Played[]): void {
    if (games === this.games) return
    this.games = games
    remember(games)
  }

  // What the server says

  #receive(message: Outgoing): void {
    switch (message.type) {
      case 'board':
        this.#lay(message)
        break
      case 'hint':
        this.#hinted(message)
        break
      case 'pile':
        this.peeked = message
        break
      case 'error':
        this.#answered()
        this.thinking = false
        letGo()
        if (this.board) toasts.error(message.message)
        else this.refusal = { why: message.message, exists: false }
    }
  }

  #hinted(hint: HintMessage): void {
    if (this.#stale > 0) {
      this.#stale -= 1
      return
    }
    this.thinking = false
    this.hint = hint
    announcer.say(`Hint: ${hint.to}. ${hint.why}`)
  }

  #answered(): void {
    this.#pending = Math.max(0, this.#pending - 1)
  }

  #lay(board: BoardMessage): void {
    const before = this.board && { board: this.board, names: this.names }
    const after = { board, names: namesOf(board, before) }
    const show = (): void => {
      this.board = board
      this.names = after.names
      this.hint = null
    }
    this.#answered()
    if (this.thinking) {
      this.#stale += 1
      this.thinking = false
    }
    if (this.#greeting || !before) {
      show()
      letGo()
    } else {
      perform(this.root, before, after, show)
      announcer.say(told(before.board, board))
    }
    if (!this.watch) this.#keep(ending(this.games, board))
    this.over = board.status !== 'playing' && !this.#greeting
    this.#greeting = false
    this.follow(location.search)
  }
}
