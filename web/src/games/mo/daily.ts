/** The deal of the day over the days: which were won, in a row, and a result to send to friends. */
import { language, mark, t, type Label } from '../../lib/messages'
import { daily, isDealt, linkTo } from './deals'
import type { Played } from './stats'

export type Verdict = 'won' | 'helped' | 'lost' | 'missed'

export interface Day {
  /** "2026-11-15" */
  date: string
  verdict: Verdict
  moves: number | null
}

const DAY = 24 * 3600 * 1000

/** What became of one day's deal: the best of the games that were played of it. */
export function dayOf(games: readonly Played[], now: Date): Day {
  const deal = daily(now)
  const date = deal.seed.slice('daily-'.length)
  const played = games.filter((game) => isDealt(deal, game))
  const wins = played.filter(({ won }) => won)
  // A win of one's own counts for more than one with hints, however few moves that took.
  const own = wins.filter(({ helped }) => !helped)
  const best = (own.length > 0 ? own : wins).map(({ moves }) => moves)
  if (best.length === 0) {
    return { date, verdict: played.length > 0 ? 'lost' : 'missed', moves: null }
  }
  return { date, verdict: own.length > 0 ? 'won' : 'helped', moves: Math.min(...best) }
}

/** The last `count` days, today last. */
export function history(games: readonly Played[], now: Date, count: number): Day[] {
  return Array.from({ length: count }, (_, at) =>
    dayOf(games, new Date(now.getTime() - (count - 1 - at) * DAY)),
  )
}

/** On how many days in a row the deal was won, up to today; one still to play breaks nothing. */
export function streak(games: readonly Played[], now: Date): number {
  const won = (day: Date): boolean => ['won', 'helped'].includes(dayOf(games, day).verdict)
  let days = 0
  let day = won(now) ? now : new Date(now.getTime() - DAY)
  while (won(day)) {
    days += 1
    day = new Date(day.getTime() - DAY)
  }
  return days
}

const SIGNS: Record<Verdict, string> = { won: '★', helped: '☆', lost: '✕', missed: '·' }
export const signOf = (verdict: Verdict): string => SIGNS[verdict]

const WORDS: Record<Verdict, Label> = {
  won: mark('won'),
  helped: mark('won with hints'),
  lost: mark('not won'),
  missed: mark('not played'),
}

/** A day as it is read aloud: "15 November: won in 63 moves". */
export function inWords({ date, verdict, moves }: Day): string {
  const day = new Date(`${date}T00:00Z`).toLocaleDateString(
    language === 'en' ? 'en-GB' : language,
    {
      day: 'numeric',
      month: 'long',
      timeZone: 'UTC',
    },
  )
  const word = t(WORDS[verdict])
  return moves === null
    ? `${day}: ${word}`
    : t('{day}: {word} in {count} move|{day}: {word} in {count} moves', { day, word, count: moves })
}

/** Today's result to send to friends, without the moves; "" before the deal is finished. */
export function toShare(
  games: readonly Played[],
  now: Date,
  link: (path: string) => string,
): string {
  const today = dayOf(games, now)
  if (today.moves === null) return ''
  const row = streak(games, now)
  return [
    `MO, ${inWords(today)}`,
    `${history(games, now, 7)
      .map(({ verdict }) => signOf(verdict))
      .join(' ')}${row > 1 ? t('  {row} days in a row', { row }) : ''}`,
    link(linkTo(daily(now))),
  ].join('\n')
}
