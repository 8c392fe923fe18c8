/** One visitor's game of MO: what they ask for, and what is being looked at. */
import { said, t } from '../../lib/messages'
import { announcer } from '../../lib/announcer.svelte'
import { api, type TableInfo } from '../../lib/api'
import { returnHeldCards } from '../../lib/flight'
import { LiveTable, type News, type Seating } from '../../lib/live-table.svelte'
import { rooted } from '../../lib/root'
import { router, screenPath } from '../../lib/router.svelte'
import type { Sound } from '../../lib/sounds'
import {
  Outgoing,
  type BoardMessage,
  type ErrorEvent,
  type HintMessage,
  type Incoming,
  type PileMessage,
} from '../../protocol/mo'
import { isDealt, isFresh, linked, type Deal } from './deals'
import { namesOf, type Names } from './layout'
import { perform } from './motion'
import { ending, help, isHelped, leaving, remember, remembered, type Played } from './stats'
import { told } from './words'

/** What only hints and peeks are refused with, so that changes asked for still wait for theirs. */
const OF_QUESTIONS = ['still-thinking', 'no-answer', 'no-peek']
/** What a hint is refused with; the last two may be meant for a change as well. */
const OF_HINTS = ['still-thinking', 'no-answer', 'game-over', 'too-fast']
/** As long as most hints take: another tab's is waited for that long before asking again. */
const A_THOUGHT = 300

/** A position, and the names of its cards. */
interface Laid {
  board: BoardMessage
  names: Names
}

/** The greeting is one `board`. */
export const endsGreeting = ({ type }: Outgoing): boolean => type === 'board'

function soundOf(before: BoardMessage, after: BoardMessage): Sound {
  if (after.seed !== before.seed) return 'deal'
  if (after.status === 'lost') return 'bad'
  if (after.status === 'won') return 'end'
  return after.defeated.length > before.defeated.length ? 'good' : 'card'
}

/** Gives a seat up for good. Only extras have a message for it, and this game's page does without. */
function getUp(path: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = new WebSocket(new URL(rooted(path), location.origin.replace(/^http/, 'ws')))
    socket.onopen = () => socket.send(JSON.stringify({ type: 'extras_leave' }))
    socket.onclose = () => resolve()
  })
}

export class MoTable extends LiveTable<Laid | null, Outgoing, Incoming> {
  /** The visitor waits for a hint. */
  thinking = $state(false)
  peeked: PileMessage | null = $state.raw(null)
  /** The game has just ended, and its dialog is open. */
  over = $state(false)
  /** The dialog of deals is open, with this filled in; null: it is closed. */
  dealing: Deal | null = $state.raw(null)
  games: Played[] = $state.raw(remembered())

  #hint: { about: BoardMessage; hint: HintMessage } | null = $state.raw(null)

  readonly board: BoardMessage | null = $derived(this.state?.board ?? null)
  readonly names: Names = $derived(this.state?.names ?? {})
  /** The hint for the position that lies there. */
  readonly hint: HintMessage | null = $derived(
    this.#hint && this.#hint.about === this.board ? this.#hint.hint : null,
  )
  readonly live = $derived(this.board?.status === 'playing')
  /** There is something to lose. */
  readonly underWay = $derived(this.live && (this.board?.moves ?? 0) > 0)
  /** Nobody waits for anybody in a game for one. */
  readonly mine = false

  /** Requested changes whose boards have not arrived yet. */
  #pending = 0
  /** One of them deals anew. */
  #anew = false
  /** The position a hint on its way is about: the server takes one question at a time. */
  #asked: BoardMessage | null = null

  constructor({ code, watch }: Seating) {
    super({
      code,
      watch,
      path: watch ? `/mo?watch=${encodeURIComponent(code)}` : '/mo',
      empty: null,
      shape: Outgoing,
    })
    window.addEventListener('storage', this.#counted)
  }

  override leave(): void {
    this.thinking = false
    window.removeEventListener('storage', this.#counted)
    super.leave()
  }

  // What the visitor does

  play(to: string): void {
    // A second click may not play the card that comes next.
    if (this.#pending > 0 || !this.board?.valid.includes(to)) return
    // Nor may a click on a position that another tab has changed since.
    this.#change({ type: 'play', to, moves: this.board.moves })
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
    this.act({ type: 'peek', pile })
  }

  /** Opens a view of this game for the whole room. */
  async show(): Promise<void> {
    const own = await this.#own()
    if (own) window.open(screenPath('mo', own.code), '_blank', 'noopener')
  }

  async #own(): Promise<TableInfo | undefined> {
    const { tables } = await api.tables()
    const own = tables.filter(({ game, yours }) => game === 'mo' && yours)
    return own.sort((one, other) => other.opened - one.opened)[0]
  }

  /** Leaves the game for good and goes to its replay: until then moves could be taken back, so that
   *  the match was not over. */
  async replay(): Promise<void> {
    const last = await this.#own()
    if (!last) return
    this.leave()
    await getUp(`/mo?table=${last.code}&extras`)
    router.go(`/replay/${encodeURIComponent(`${last.id}-${last.round}`)}`)
  }

  /** The link the page was opened with is followed once; a reload finds the game as it is. */
  follow(search: string): void {
    const deal = linked(search)
    if (!deal || !this.board || this.watch) return
    history.replaceState(null, '', location.pathname)
    if (!isDealt(deal, this.board)) this.offer(deal)
  }

  #change(message: Incoming): boolean {
    if (this.watch || !this.act(message)) return false
    this.#pending += 1
    this.thinking = false
    return true
  }

  /** Asks for the requested hint once no move is pending, so that it fits the board. */
  #inquire(): void {
    if (!this.thinking || this.#asked || this.#pending > 0) return
    if (this.act({ type: 'hint' })) this.#asked = this.board
    else this.thinking = false
  }

  /** Reads the stored value again before changing it: another tab may have written since. */
  #keep(change: (games: Played[]) => Played[]): void {
    this.games = change(remembered(this.games))
    remember(this.games)
  }

  #counted = (): void => {
    this.games = remembered(this.games)
  }

  // What the server says

  protected endsGreeting = endsGreeting

  protected fold(before: Laid | null, message: Outgoing): Laid | null {
    return message.type === 'board' ? { board: message, names: namesOf(message, before) } : before
  }

  protected errorIn(message: Outgoing): ErrorEvent | null {
    return message.type === 'error' ? message : null
  }

  protected news(before: Laid | null, message: Outgoing): News {
    if (message.type !== 'board' || !before) return {}
    return { aloud: told(before.board, message), sound: soundOf(before.board, message) }
  }

  protected override animate(before: Laid | null, after: Laid | null, change: () => void): void {
    if (before && after && after !== before) perform(this.root, before, after, change)
    else change()
  }

  protected override connected(): void {
    this.#pending = 0
    this.#asked = null
    this.thinking = false
  }

  protected override greeted(before: Laid | null): void {
    returnHeldCards()
    this.#laid(before)
    this.over = false
  }

  protected override happened(message: Outgoing, before: Laid | null): void {
    if (message.type === 'board') this.#laid(before)
    else if (message.type === 'hint') this.#hinted(message)
    else if (message.type === 'pile') this.peeked = message
  }

  #hinted(hint: HintMessage): void {
    const about = this.#asked
    this.#asked = null
    if (!about || about !== this.board) return this.#inquire()
    if (!this.thinking) return
    this.thinking = false
    this.#hint = { about, hint }
    help(about)
    announcer.say(t('Hint: {to}. {why}', { to: hint.to, why: said(hint.why) }))
  }

  protected override refused({ code, message }: ErrorEvent): void {
    if (!this.known) {
      this.refusal = { why: message, exists: false }
      return
    }
    const question = OF_QUESTIONS.includes(code)
    if (!question) {
      this.#answered()
      returnHeldCards()
    }
    if (OF_HINTS.includes(code) && this.#asked) {
      const passed = !this.thinking || this.#asked !== this.board
      this.#asked = null
      if (code === 'still-thinking') {
        setTimeout(() => this.#inquire(), A_THOUGHT)
        return
      }
      // This hint is no longer needed; perhaps the next one is.
      if (question && passed) return this.#inquire()
      this.thinking = false
    }
    this.complain(message)
    this.#inquire()
  }

  #answered(): void {
    this.#pending = Math.max(0, this.#pending - 1)
    if (this.#pending === 0) this.#anew = false
  }

  #laid(before: Laid | null): void {
    const board = this.board
    if (!board) return
    if (this.#anew && before && isFresh(board)) {
      this.#keep((games) => leaving(games, before.board))
    }
    this.#answered()
    if (!this.watch && !this.live) this.#keep((games) => ending(games, board, isHelped(board)))
    this.over = !this.live
    this.follow(location.search)
    this.thinking &&= this.live
    this.#inquire()
  }
}
