/** One visitor's side of a Quips table: what they look at, choose and do. */
import { announcer } from '../../lib/announcer.svelte'
import { LiveTable, type News, type Seating, type ServerError } from '../../lib/live-table.svelte'
import type { Sound } from '../../lib/sounds'
import { toasts } from '../../lib/toasts.svelte'
import { visitor } from '../../lib/visitor.svelte'
import { ServerMessage, type Applause, type ClientMessage } from './messages'
import { Desk } from './desk.svelte'
import { keepLanguage, keepToken, passwordFor, storedLanguage, tokenFor } from './keepsakes'
import { afterRenames, hears, keepBlocked, readBlocked, toggled, type Silence } from './silence'
import {
  asked,
  emptyTable,
  fold,
  judgeTurns,
  pickOf,
  playerOf,
  sameMoment,
  upgradeOf,
  type Asked,
  type TableState,
} from './state'
import { cleaned, customId, languagesOf } from './texts'
import { banner, textsOf, told } from './words'

/** What fills a gap: a card of the hand, or something one writes oneself. */
export type Filling = { card: string } | { blank: number; text: string }

/** A message that is nothing but a cheer floats over the table for a moment. */
export interface Cheer {
  id: number
  by: string
  text: string
}

export const CHEERS: readonly Applause[] = ['Bravo!', 'Ha ha!', 'Ouch!', 'What?!']

const CHEER_TIME = 2600
/** How long an answer is looked at before the next one is turned over by itself. */
const readingTime = (letters: number): number => 1100 + 35 * letters

const SOUNDS: Partial<Record<string, Sound>> = { round_end: 'good', game_end: 'end' }

function pathOf(code: string, watch: boolean): string {
  const query = new URLSearchParams({ table: code, extended: '1' })
  if (watch) return `/spectate?${query}`
  const name = visitor.me?.name
  if (name) query.set('name', name)
  const token = tokenFor(code)
  if (token) query.set('player_token', token)
  const password = passwordFor(code)
  if (password) query.set('password', password)
  return `/game?${query}`
}

export class QuipsTable extends LiveTable<TableState, ServerMessage, ClientMessage> {
  /** What is to fill the gaps, in their order. */
  fillings: Filling[] = $state.raw([])
  /** The card of the hand that was touched last: what else can be done with it is offered. */
  lifted: string | null = $state(null)
  /** Which answers lie open, as this visitor sees them. */
  turned: ReadonlySet<number> = $state.raw(new Set<number>())
  /** The answer in the black card's gaps while the judge decides. */
  looked: number | null = $state(null)
  language: string = $state(storedLanguage())
  silence: Silence = $state.raw({ muted: [], blocked: readBlocked() })
  cheers: Cheer[] = $state.raw([])
  /** Why the server put us out: `reject_afk` and the like. */
  rejected: string = $state('')

  readonly desk = new Desk(this.code)
  readonly asked: Asked = $derived(asked(this.state))
  readonly mine = $derived(this.asked === 'play' || this.asked === 'judge')
  readonly pick: number = $derived(pickOf(this.state))
  readonly languages: string[] = $derived(languagesOf(this.#contents()))
  readonly banner: string = $derived(banner(this.state, this.turned.size, this.fillings.length))
  readonly me = $derived(this.state.me === null ? undefined : playerOf(this.state, this.state.me))
  /** Whether this visitor runs the table: sits there as its host, or had it opened. */
  readonly host: boolean = $derived(this.me?.host || this.extras?.runs || false)
  /** Everything that was said or done and may be heard. */
  readonly heard = $derived(this.log.filter(({ by }) => !by || hears(this.silence, by)))
  readonly talk = $derived(this.state.chat.filter(({ author }) => hears(this.silence, author)))

  #blanks = 0
  #cheers = 0
  #turning: ReturnType<typeof setTimeout> | undefined
  #eager: boolean

  constructor({ code, watch, eager = false }: Seating & { eager?: boolean }) {
    super({ code, watch, path: () => pathOf(code, watch), empty: emptyTable, shape: ServerMessage })
    this.#eager = eager && !watch
  }

  override leave(): void {
    clearTimeout(this.#turning)
    super.leave()
  }

  // Choosing

  /** A card of the hand was touched: it goes into a gap, or out of it. */
  tap(card: string): void {
    const chosen = this.fillings.findIndex((filling) => 'card' in filling && filling.card === card)
    if (this.asked !== 'play') {
      this.lifted = this.lifted === card ? null : card
    } else if (chosen >= 0) {
      this.takeOut(chosen)
      this.lifted = null
    } else {
      if (this.#put({ card })) this.lifted = card
    }
  }

  /** A card to write oneself; its text is typed in the gap. */
  takeBlank(): void {
    if (this.asked !== 'play') return
    const used = this.fillings.filter((filling) => 'blank' in filling).length
    if (used >= this.state.blanks) toasts.note('You have no more cards to write yourself.')
    else this.#put({ blank: this.#blanks++, text: '' })
  }

  fillIn(blank: number, text: string): void {
    this.fillings = this.fillings.map((filling) =>
      'blank' in filling && filling.blank === blank ? { blank, text } : filling,
    )
  }

  takeOut(gap: number): void {
    this.fillings = this.fillings.toSpliced(gap, 1)
  }

  /** Where there is but one gap, a second thought replaces the first. */
  #put(filling: Filling): boolean {
    if (this.pick === 1) this.fillings = [filling]
    else if (this.fillings.length < this.pick) this.fillings = [...this.fillings, filling]
    else {
      toasts.note('All gaps are filled. Take a card out first.')
      return false
    }
    return true
  }

  /** Why the visitor can't play yet; "" if they can. */
  readonly whyNotPlay: string = $derived.by(() => {
    if (this.asked !== 'play') return 'There is nothing to play now.'
    const left = this.pick - this.fillings.length
    if (left > 0)
      return left === 1 ? 'One card is still missing.' : `${left} cards are still missing.`
    const empty = this.fillings.some(
      (filling) => 'blank' in filling && cleaned(filling.text) === '',
    )
    return empty ? 'Write something on your own card first.' : ''
  })

  play(): void {
    if (this.whyNotPlay !== '') return
    const cards = this.fillings.map((filling) =>
      'card' in filling ? filling.card : customId(filling.text),
    )
    this.act({ msg: 'c_playcards', cards })
  }

  /** Why a card can't be thrown away; "": it can. */
  readonly whyNotDiscard: string = $derived.by(() => {
    if (this.state.me === null || this.asked === 'over') return 'Not now.'
    return this.state.discards > 0 ? '' : 'You have thrown away as many cards as this game allows.'
  })

  discard(card: string): void {
    if (this.whyNotDiscard === '') this.act({ msg: 'c_discardcard', card_id: card })
  }

  whyNotUpgrade(card: string): string {
    const better = upgradeOf(this.state, card)
    if (!better) return 'There is no better version of this card.'
    return better.tier_cost <= this.state.points
      ? ''
      : `That costs ${better.tier_cost}, and you have ${this.state.points}. Win a round first.`
  }

  upgrade(card: string): void {
    if (this.whyNotUpgrade(card) === '') this.act({ msg: 'c_upgradecard', card_id: card })
  }

  // Judging

  /** Turns an answer over, or looks at it again. */
  turn(play: number): void {
    if (play >= this.state.game.plays.length) return
    this.looked = play
    if (this.turned.has(play)) return
    this.turned = new Set([...this.turned, play])
    announcer.say(this.#readOut(play))
    if (this.asked === 'judge') this.act({ msg: 'c_turn', play_index: play })
  }

  readonly nextDown: number = $derived(
    this.state.game.plays.findIndex((_, play) => !this.turned.has(play)),
  )

  turnNext(): void {
    if (this.nextDown >= 0) this.turn(this.nextDown)
  }

  crown(play: number): void {
    if (this.asked === 'judge' && this.turned.has(play)) {
      this.act({ msg: 'c_judgecards', play_index: play })
    }
  }

  #readOut(play: number): string {
    const texts = textsOf(this.state, this.state.game.plays[play] ?? [], this.language)
    return `Answer ${play + 1}: ${texts.join('; ')}.`
  }

  /** Players who do not judge see the answers in the order in which the judge turns them over. */
  #turnAlong(): void {
    for (const play of this.state.turned) if (!this.turned.has(play)) this.turn(play)
  }

  /** Where the judge turns nothing over, the others still read the answers one by one. */
  #turnByItself(): void {
    clearTimeout(this.#turning)
    if (this.asked === 'judge' || judgeTurns(this.state) || this.nextDown < 0) return
    const shown = this.looked === null ? [] : (this.state.game.plays[this.looked] ?? [])
    const letters = textsOf(this.state, shown, this.language).join('').length
    this.#turning = setTimeout(() => {
      if (this.state.game.stage !== 'judging') return
      this.turnNext()
      this.#turnByItself()
    }, readingTime(letters))
  }

  #turnAll(): void {
    clearTimeout(this.#turning)
    this.turned = new Set(this.state.game.plays.keys())
  }

  /** A newcomer sees the answers that are open already. */
  #findTurned(): void {
    if (this.state.game.stage !== 'judging' || !judgeTurns(this.state)) this.#turnAll()
    else this.turned = new Set(this.state.turned)
  }

  // Talking

  protected override speak(body: string): boolean {
    return this.act({ msg: 'c_chat_msg', body })
  }

  /** Sends applause; spectators may do so, too. */
  applaud(cheer: Applause): void {
    this.act({ msg: 'c_applaud', cheer })
  }

  mute(name: string): void {
    this.silence = { ...this.silence, muted: toggled(this.silence.muted, name) }
  }

  block(name: string): void {
    this.silence = { ...this.silence, blocked: toggled(this.silence.blocked, name) }
    keepBlocked(this.silence.blocked)
  }

  // The rest

  ready(): void {
    this.act({ msg: 'c_ready_up', status: !this.me?.ready_up })
  }

  voteSkip(): void {
    this.act({ msg: 'c_vote_skip', voted: !this.me?.voted_skip })
  }

  rename(name: string): void {
    this.act({ msg: 'c_updateinfo', userinfo: { name } })
  }

  read(language: string): void {
    this.language = language
    keepLanguage(language)
  }

  // What the server says

  protected fold = fold

  protected endsGreeting({ msg }: ServerMessage): boolean {
    return msg === (this.watch ? 's_gamestate' : 's_cardsplayed')
  }

  protected errorIn(message: ServerMessage): ServerError | null {
    if (message.msg === 's_error') return { message: message.desc, code: message.code }
    if (message.msg === 's_rejectclient') return { message: message.desc, code: message.reason }
    return null
  }

  protected override refused(error: ServerError): void {
    if (!error.code?.startsWith('reject_')) {
      super.refused(error)
      return
    }
    this.rejected = error.code
    this.refusal = { why: error.message, exists: error.code !== 'reject_no_such_table' }
    // The close that follows looks like an ordinary one: without this, we would come back.
    this.leave()
  }

  protected override password(): string | null {
    return passwordFor(this.code) || null
  }

  /** Round by round. The texts of cards come from the greeting; who came and went is left out. */
  protected override retold(messages: readonly ServerMessage[]): string[] {
    let state: TableState = { ...this.state, game: emptyTable.game }
    return messages.flatMap((message) => {
      if (message.msg !== 's_gamestate' && message.msg !== 's_notify_skipped') return []
      const before = state
      state = fold(before, message, Date.now())
      return told(before, message, state, this.language).written || []
    })
  }

  protected news(before: TableState, message: ServerMessage, after: TableState): News {
    if (message.msg === 's_chat_msg') {
      if (!hears(this.silence, message.author)) return {}
      const { aloud = '' } = told(before, message, after, this.language)
      return { aloud, written: message.body, by: message.author }
    }
    const news: News = told(before, message, after, this.language)
    const began = message.msg === 's_gamestate' && !sameMoment(before.game, after.game)
    const sound = began ? SOUNDS[after.game.stage] : undefined
    return sound ? { ...news, sound } : news
  }

  protected override greeted(): void {
    this.#keep()
    this.#findTurned()
    this.looked = this.#winner()
    this.#beginEagerly()
  }

  protected override happened(message: ServerMessage, before: TableState): void {
    switch (message.msg) {
      case 's_clientinfo':
        this.#keep()
        break
      case 's_players':
        this.silence = afterRenames(this.silence, before.players, this.state.players)
        this.#beginEagerly()
        // What only a host is shown may have changed since it was last asked for.
        if (this.me?.host && !before.players.some(({ id, host }) => host && id === before.me)) {
          void this.desk.refresh()
        }
        // A judge with another client, or without a connection, turns nothing over.
        if (this.state.game.stage === 'judging') this.#turnByItself()
        break
      case 's_allcards':
        void this.desk.refresh()
        break
      case 's_turned':
        if (this.state.game.stage === 'judging' && this.asked !== 'judge') this.#turnAlong()
        break
      case 's_chat_msg':
        this.#cheer(message.author, message.body)
        break
      case 's_gamestate':
        this.#stageChanged(before)
        this.#beginEagerly()
        break
    }
  }

  #stageChanged(before: TableState): void {
    if (sameMoment(before.game, this.state.game)) {
      // A visitor who is no longer the judge has the remaining answers turned over for them.
      if (this.state.game.stage === 'judging') this.#turnByItself()
      return
    }
    if (this.state.game.stage === 'judging') {
      this.turned = new Set()
      this.looked = null
      this.#turnByItself()
    } else {
      this.#turnAll()
      this.looked = this.#winner()
    }
    if (this.state.game.stage === 'game_starting') void this.desk.refresh()
  }

  /** After the verdict the black card shows what won. */
  #winner(): number | null {
    const { stage, winning_play: play } = this.state.game
    return (stage === 'round_end' || stage === 'game_end') && play >= 0 ? play : null
  }

  protected override settle(): void {
    const { hand, blanks } = this.state
    // An upgraded card has another id, and stays where it was chosen for.
    const now = (card: string): string =>
      hand.includes(card) ? card : (upgradeOf(this.state, card)?.id ?? card)
    if (this.lifted) {
      this.lifted = hand.includes(now(this.lifted)) ? now(this.lifted) : null
    }
    if (this.fillings.length === 0) return
    const fillings = this.fillings.map((filling) =>
      'card' in filling ? { card: now(filling.card) } : filling,
    )
    let written = 0
    const still =
      this.asked === 'play'
        ? fillings
            .filter((filling) =>
              'card' in filling ? hand.includes(filling.card) : written++ < blanks,
            )
            .slice(0, this.pick)
        : []
    this.fillings = still
  }

  #keep(): void {
    if (this.state.token) keepToken(this.code, this.state.token)
  }

  #cheer(by: string, body: string): void {
    if (!CHEERS.some((cheer) => cheer === body) || !hears(this.silence, by)) return
    const cheer = { id: this.#cheers++, by, text: body }
    this.cheers = [...this.cheers.slice(-11), cheer]
    setTimeout(() => (this.cheers = this.cheers.filter(({ id }) => id !== cheer.id)), CHEER_TIME)
  }

  /** "Play now" in the hall: ready as soon as the table asks for it. */
  #beginEagerly(): void {
    if (!this.#eager || this.asked !== 'ready') return
    this.#eager = false
    this.socket.send({ msg: 'c_ready_up', status: true })
  }

  *#contents(): Iterable<Record<string, string>> {
    for (const pack of this.state.packs) for (const card of pack.cards) yield card.content
  }
}
