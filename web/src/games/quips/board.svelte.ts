/** One viewer's side of the board: what they fill the gaps with, and which answer they read. The
 *  rest is said by the scene, at a table and in a replay. */
import { t } from '../../lib/messages'
import { announcer } from '../../lib/announcer.svelte'
import { toasts } from '../../lib/toasts.svelte'
import type { Choice, Thing, Zone } from '../../protocol/extras'
import type { SceneDesk } from '../../scenes/desk.svelte'
import { Cards } from './cards.svelte'
import { cleaned } from './texts'

/** What fills a gap: a card of the hand, or something one writes oneself. */
export type Filling = { card: string } | { blank: number; text: string }

/** Somebody at the table, in a line. */
export interface Sitting {
  key: number
  name: string
  bot: boolean
  you: boolean
  doing: string
  voted: boolean
  /** Missing before a game. */
  score?: string | number
}

export type Stage = 'playing' | 'judging' | 'round_end' | 'game_end'

/** How long an answer is looked at before the next one is turned over by itself. */
const readingTime = (letters: number): number => 1100 + 35 * letters

const VOTED = 'wants another black card'

export class QuipsBoard {
  /** What is to fill the gaps, in their order. */
  fillings: Filling[] = $state.raw([])
  /** The card of the hand that was touched last: what else can be done with it is offered. */
  lifted: string | null = $state(null)
  /** How many answers lie open by themselves, where the judge turns none over; `null`: all. */
  #opened: number | null = $state(null)
  /** The answer that the viewer has pressed since the last one was turned over. */
  #pressed: number | null = $state(null)
  #read: string | null = null
  #blanks = 0
  #clock: ReturnType<typeof setTimeout> | undefined

  constructor(
    readonly desk: SceneDesk,
    readonly cards = new Cards(),
  ) {}

  // What the scene says

  readonly #zones: readonly Zone[] = $derived.by(() => this.desk.scene?.zones ?? [])
  readonly #counters = $derived.by(() => this.desk.scene?.counters ?? {})
  readonly black: Thing | undefined = $derived.by(() => this.#thingsIn('black')[0])
  readonly plays: readonly Zone[] = $derived.by(() =>
    this.#zones.filter(({ id }) => id.startsWith('play ')),
  )
  readonly hand: readonly Thing[] = $derived.by(() => this.#thingsIn('hand'))
  /** What the viewer has played. */
  readonly mine: readonly Thing[] = $derived.by(() => this.#thingsIn('mine'))
  /** Of a match that is over: the hands of all, and what they have played. */
  readonly open: readonly Zone[] = $derived.by(() =>
    this.#zones.filter(({ id }) => /^(hand|played) \d/.test(id)),
  )
  readonly round: number = $derived.by(() => Number(this.#counters['round'] ?? 0))
  /** How many answers the black card takes. */
  readonly pick: number = $derived.by(() => Number(this.#counters['cards to play'] ?? 1))
  readonly winner: number = $derived.by(() => this.#marked('wins'))
  readonly stage: Stage = $derived.by(() => {
    if (this.#seatMarked('winner') !== undefined) return 'game_end'
    if (this.winner >= 0) return 'round_end'
    return this.plays.length > 0 ? 'judging' : 'playing'
  })
  readonly judge: number | undefined = $derived.by(() => this.#seatMarked('judge')?.seat)
  readonly seated: boolean = $derived.by(() => this.#me !== undefined)
  readonly idle: boolean = $derived.by(() => this.#me?.marks?.includes('idle') ?? false)
  readonly voted: boolean = $derived.by(() => this.#me?.marks?.includes(VOTED) ?? false)
  readonly #me = $derived.by(() =>
    this.desk.scene?.seats.find(({ seat }) => seat === this.desk.scene?.viewer),
  )
  /** What the table waits for this viewer to do. */
  readonly asked: 'play' | 'judge' | '' = $derived.by(() =>
    this.#choice('play') ? 'play' : this.#choice('judge') ? 'judge' : '',
  )
  readonly maySkip: boolean = $derived.by(() => this.#choice('vote_skip') !== undefined)
  /** How long a card may be that one writes. */
  readonly longest: number = $derived.by(() => {
    const domain = this.#choice('play')?.fields?.['cards']
    return domain?.type === 'some' ? (domain.longest ?? 80) : 80
  })

  readonly people: Sitting[] = $derived.by(() =>
    (this.desk.scene?.seats ?? []).map(({ seat, counters, marks = [] }) => ({
      key: seat,
      name: this.desk.name(seat),
      bot: this.desk.sitters[seat]?.bot ?? false,
      you: seat === this.desk.scene?.viewer,
      doing: this.#doing(marks),
      voted: marks.includes(VOTED),
      score: counters?.['score'] ?? 0,
    })),
  )

  /** Votes for another black card, and how many it takes: more than half of the people who count. */
  readonly votes: { cast: number; needed: number } = $derived.by(() => {
    const people = this.people.filter(({ bot, doing }) => !bot && doing !== 'idle')
    const cast = people.filter(({ voted }) => voted).length
    return { cast, needed: Math.floor(people.length / 2) + 1 }
  })

  /** In a word, what somebody at the table is doing. */
  #doing(marks: readonly string[]): string {
    const found = ['winner', 'judge', 'idle'].find((mark) => marks.includes(mark))
    if (found || this.stage !== 'playing') return found ?? ''
    return marks.includes('still to play') ? 'choosing' : 'played'
  }

  count(what: string): number {
    return Number(this.#counters[`your ${what}`] ?? 0)
  }

  #thingsIn(zone: string): readonly Thing[] {
    return this.#zones.find(({ id }) => id === zone)?.things ?? []
  }

  #choice(action: string): Choice | undefined {
    const choices = this.desk.act ? this.desk.scene?.choices : []
    return choices?.find((choice) => choice.action === action)
  }

  #marked(mark: string): number {
    return this.plays.findIndex(({ things }) => things?.some(({ marks }) => marks?.includes(mark)))
  }

  #seatMarked(mark: string) {
    return this.desk.scene?.seats.find(({ marks }) => marks?.includes(mark))
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
    } else if (this.#put({ card })) {
      this.lifted = card
    }
  }

  readonly blanksLeft: number = $derived.by(
    () => this.count('blank cards') - this.fillings.filter((filling) => 'blank' in filling).length,
  )

  /** A card to write oneself; its text is typed in the gap. */
  takeBlank(): void {
    if (this.asked !== 'play') return
    if (this.blanksLeft > 0) this.#put({ blank: this.#blanks++, text: '' })
    else toasts.note(t('You have no more cards to write yourself.'))
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
      toasts.note(t('All gaps are filled. Take a card out first.'))
      return false
    }
    return true
  }

  /** Why the viewer can't play yet; "" if they can. */
  readonly whyNotPlay: string = $derived.by(() => {
    if (this.asked !== 'play') return t('There is nothing to play now.')
    const left = this.pick - this.fillings.length
    if (left > 0)
      return left === 1
        ? t('One card is still missing.')
        : t('{left} cards are still missing.', { left })
    const empty = this.fillings.some((filling) => 'blank' in filling && !cleaned(filling.text))
    return empty ? t('Write something on your own card first.') : ''
  })

  play(): void {
    if (this.whyNotPlay !== '') return
    const cards = this.fillings.map((filling) =>
      'card' in filling ? this.#slotOf(filling.card) : cleaned(filling.text),
    )
    this.desk.act?.('play', { cards })
  }

  #slotOf(card: string): number {
    return Number(this.hand.find(({ id }) => id === card)?.name)
  }

  /** Why a card can't be thrown away; "": it can. */
  readonly whyNotDiscard: string = $derived.by(() => {
    if (this.#choice('discard')) return ''
    return this.stage === 'game_end'
      ? t('Not now.')
      : t('You have thrown away as many cards as this game allows.')
  })

  discard(card: string): void {
    if (this.whyNotDiscard === '') this.desk.act?.('discard', { slot: this.#slotOf(card) })
  }

  whyNotUpgrade({ face, name }: Thing): string {
    const { better } = this.cards.of(face ?? '')
    if (!better) return t('There is no better version of this card.')
    const domain = this.#choice('upgrade')?.fields?.['slot']
    if (domain?.type === 'one' && domain.of.includes(name as number)) return ''
    const points = this.count('points for upgrades')
    return t('That costs {cost}, and you have {points}. Win a round first.', {
      cost: better.tier_cost,
      points,
    })
  }

  upgrade(card: Thing): void {
    if (this.whyNotUpgrade(card) === '') this.desk.act?.('upgrade', { slot: Number(card.name) })
  }

  voteSkip(): void {
    if (this.maySkip) this.desk.act?.('vote_skip', { on: !this.voted })
  }

  // Reading the answers

  /** Which answers lie open. */
  readonly turned: ReadonlySet<number> = $derived.by(() => {
    const all = [...this.plays.keys()]
    if (this.stage !== 'judging') return new Set(all)
    const over = all.filter((play) =>
      this.plays[play]?.things?.some(({ marks = [] }) => marks.some((mark) => TURNED.has(mark))),
    )
    const bot = this.judge !== undefined && this.desk.sitters[this.judge]?.bot
    return new Set([...over, ...all.slice(0, this.#opened ?? (bot ? all.length : 0))])
  })

  /** The answer that was turned over last; −1: none. */
  readonly #reading: number = $derived.by(() => {
    const reading = this.#marked('being read')
    return reading < 0 && this.stage === 'judging' ? (this.#opened ?? 0) - 1 : reading
  })

  /** The answer in the black card's gaps; after the verdict, what won. */
  readonly looked: number | null = $derived.by(() => {
    const looked = this.stage === 'judging' ? (this.#pressed ?? this.#reading) : this.winner
    return this.turned.has(looked) ? looked : null
  })

  readonly nextDown: number = $derived.by(() =>
    this.plays.findIndex((_, play) => !this.turned.has(play)),
  )

  /** What stands in the black card's gaps; `null`: whatever is being chosen. */
  readonly answers: readonly Thing[] | null = $derived.by(() => {
    if (this.stage === 'playing') return this.mine.length > 0 ? this.mine : null
    return (this.looked !== null && this.plays[this.looked]?.things) || []
  })

  /** Turns an answer over, or looks at it again. */
  turn(play: number): void {
    if (play < 0 || play >= this.plays.length) return
    if (this.turned.has(play)) this.#pressed = play
    else if (this.asked === 'judge') this.desk.act?.('turn', { index: play })
  }

  readonly whyNotCrown: string = $derived.by(() =>
    this.looked === null ? t('Turn an answer over first.') : '',
  )

  crown(): void {
    if (this.asked === 'judge' && this.looked !== null) {
      this.desk.act?.('judge', { index: this.looked })
    }
  }

  // At a live table

  /** The scene has changed. `judgeTurns`: the judge turns the answers over for everybody; others
   *  are turned over by themselves. */
  settle(judgeTurns: boolean): void {
    const held = new Set(this.hand.map(({ id }) => id))
    if (this.lifted !== null && !held.has(this.lifted)) this.lifted = null
    let written = 0
    const stays = (filling: Filling): boolean =>
      'card' in filling ? held.has(filling.card) : written++ < this.count('blank cards')
    if (this.fillings.length > 0) {
      this.fillings = this.asked === 'play' ? this.fillings.filter(stays).slice(0, this.pick) : []
    }
    if (this.stage !== 'judging') {
      this.stop()
      this.#opened = 0
    } else if (judgeTurns) {
      this.stop()
    } else {
      this.#clock ??= setTimeout(() => this.#turnByItself(), this.#readingTime())
    }
    this.#readOut()
  }

  stop(): void {
    clearTimeout(this.#clock)
    this.#clock = undefined
  }

  #turnByItself(): void {
    this.stop()
    this.#opened = (this.#opened ?? 0) + 1
    this.#readOut()
    if (this.nextDown >= 0) {
      this.#clock = setTimeout(() => this.#turnByItself(), this.#readingTime())
    }
  }

  #readingTime(): number {
    return readingTime(this.#textsOf(this.#reading).join('').length)
  }

  #textsOf(play: number): string[] {
    return (this.plays[play]?.things ?? []).map(({ face }) => this.cards.of(face ?? '').text)
  }

  /** Says the answer that was just turned over. */
  #readOut(): void {
    const at = this.stage === 'judging' ? this.#reading : -1
    const read =
      at < 0
        ? null
        : t('Answer {number}: {texts}.', { number: at + 1, texts: this.#textsOf(at).join('; ') })
    if (read === this.#read) return
    this.#read = read
    this.#pressed = null
    if (read) announcer.say(read)
  }
}

const TURNED: ReadonlySet<string> = new Set(['turned over', 'being read'])
