/** One visitor's game of MO: the line to the server, what it told, and what is being looked at. */
import { announcer } from '../../lib/announcer.svelte'
import { letGo } from '../../lib/flight'
import { Socket } from '../../lib/socket.svelte'
import { refusalOf, sendOrSay, type Refusal } from '../../lib/table'
import { toasts } from '../../lib/toasts.svelte'
import type {
  BoardMessage,
  ErrorMessage,
  HintMessage,
  Incoming,
  Outgoing,
  PileMessage,
} from '../../protocol/mo'
import { isDealt, isFresh, linked, type Deal } from './deals'
import { namesOf, type Names } from './layout'
import { perform } from './motion'
import { ending, leaving, remember, remembered, type Played } from './stats'
import { told } from './words'

/** What only hints and peeks are refused with, so that changes asked for still wait for theirs. */
const OF_QUESTIONS = ['still-thinking', 'no-answer', 'no-peek']
/** What a hint is refused with; the last two may be meant for a change as well. */
const OF_HINTS = ['still-thinking', 'no-answer', 'game-over', 'too-fast']
/** As long as most hints take: another tab's is waited for that long before asking again. */
const A_THOUGHT = 300

export class MoTable {
  board: BoardMessage | null = $state.raw(null)
  names: Names = $state.raw({})
  hint: HintMessage | null = $state.raw(null)
  /** The visitor waits for a hint. */
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
  /** One of them deals anew. */
  #anew = false
  /** The position a hint on its way is about: the server takes one question at a time. */
  #asked: BoardMessage | null = null

  constructor({ code, watch }: { code: string; watch: boolean }) {
    this.watch = watch
    this.socket = new Socket({
      path: watch ? `/mo?watch=${encodeURIComponent(code)}` : '/mo',
      onmessage: (message) => this.#receive(message),
      onopen: () => {
        this.#greeting = true
        this.#pending = 0
        this.#asked = null
        this.thinking = false
      },
      onrefused: (code, reason) => (this.refusal = refusalOf(code, reason)),
    })
    window.addEventListener('storage', this.#counted)
  }

  leave(): void {
    this.thinking = false
    window.removeEventListener('storage', this.#counted)
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
    if (this.#change({ type: 'new', ...deal })) this.#anew = true
  }

  /** Deals at once where nothing is lost by it, and asks otherwise. */
  offer(deal: Deal = {}): void {
    if (this.underWay) this.dealing = deal
    else this.deal(deal)
  }

  ask(): void {
    if (!this.live || this.thinking || this.watch) return
    this.thinking = true
    this.#inquire()
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
    this.thinking = false
    return true
  }

  /** Asks for the hint that is waited for, as soon as it would be about what lies there then. */
  #inquire(): void {
    if (!this.thinking || this.#asked || this.#pending > 0) return
    if (this.#send({ type: 'hint' })) this.#asked = this.board
    else this.thinking = false
  }

  #send(message: Incoming): boolean {
    return sendOrSay(this.socket, message)
  }

  /** Another tab may have written since: what is changed is what is kept, not what is shown. */
  #keep(change: (games: Played[]) => Played[]): void {
    this.games = change(remembered(this.games))
    remember(this.games)
  }

  #counted = (): void => {
    this.games = remembered(this.games)
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
        if (this.board) this.#refused(message)
        else this.refusal = { why: message.message, exists: false }
    }
  }

  #hinted(hint: HintMessage): void {
    const about = this.#asked
    this.#asked = null
    if (about !== this.board) return this.#inquire()
    if (!this.thinking) return
    this.thinking = false
    this.hint = hint
    announcer.say(`Hint: ${hint.to}. ${hint.why}`)
  }

  #refused({ code, message }: ErrorMessage): void {
    const question = OF_QUESTIONS.includes(code)
    if (!question) {
      this.#answered()
      letGo()
    }
    if (OF_HINTS.includes(code) && this.#asked) {
      const passed = !this.thinking || this.#asked !== this.board
      this.#asked = null
      if (code === 'still-thinking') {
        setTimeout(() => this.#inquire(), A_THOUGHT)
        return
      }
      // Nobody waits for that one any more; perhaps for the next.
      if (question && passed) return this.#inquire()
      this.thinking = false
    }
    toasts.error(message)
    this.#inquire()
  }

  #answered(): void {
    this.#pending = Math.max(0, this.#pending - 1)
    if (this.#pending === 0) this.#anew = false
  }

  #lay(board: BoardMessage): void {
    const before = this.board && { board: this.board, names: this.names }
    const after = { board, names: namesOf(board, before) }
    const show = (): void => {
      this.board = board
      this.names = after.names
      this.hint = null
    }
    if (this.#anew && before && isFresh(board)) {
      this.#keep((games) => leaving(games, before.board))
    }
    this.#answered()
    if (this.#greeting || !before) {
      show()
      letGo()
    } else {
      perform(this.root, before, after, show)
      announcer.say(told(before.board, board))
    }
    if (!this.watch && !this.live) this.#keep((games) => ending(games, board))
    this.over = board.status !== 'playing' && !this.#greeting
    this.#greeting = false
    this.follow(location.search)
    this.thinking &&= this.live
    this.#inquire()
  }
}
