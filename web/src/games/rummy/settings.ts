/** Super Rummy's settings as people say them; which there are, the server's schema says. */
import { mark, t } from '../../lib/messages'
import type { SettingWords } from '../../lib/schema'
import type { Settings } from '../../protocol/rummy'

export const words: SettingWords = {
  deck_count: { label: mark('Decks'), values: { 1: mark('One'), 2: mark('Two'), 4: mark('Four') } },
  enable_jokers: { label: mark('Jokers') },
  hand_size: {
    label: mark('Cards dealt'),
    help: mark('By players: ten each for two, seven each for more.'),
    values: { 0: mark('By players') },
  },
  first_turn: {
    label: mark('Who begins'),
    values: {
      next_player: mark('In turn'),
      prev_winner: mark('Last winner'),
      random: mark('Anybody'),
    },
  },
  allow_draw_choice: { label: mark('Look before drawing') },
  allow_run_mixed_suit: { label: mark('Runs of mixed suits') },
  allow_set_duplicate_suit: { label: mark('Same suit twice in a set') },
  limit_meld_size: {
    label: mark('Largest meld'),
    values: { null: mark('No limit'), 3: mark('Three'), 4: mark('Four') },
  },
  ace_rank: { label: mark('Aces'), values: { low: mark('Low'), high: mark('High') } },
  deck_exhaust: {
    label: mark('Empty deck'),
    values: {
      flip_discard: mark('Flip discards'),
      shuffle_discard: mark('Shuffle discards'),
      end_round: mark('End the round'),
    },
  },
  require_end_discard: { label: mark('Go out with a discard') },
  lay_at_end: { label: mark('Losers lay off') },
}

/**
 * What these rules, as they are in force, make hard; "" for nothing.
 *
 * Melds of three take no further card, and a turn's discard makes up for its draw: what a hand has
 * over its threes it keeps. One over never goes out; two over go out only as a meld, with the card
 * drawn.
 */
export function settingsWarning(settings: Settings): string {
  const over = settings.hand_size % 3
  if (settings.limit_meld_size !== 3 || over === 0) return ''
  if (over === 2 && !settings.require_end_discard) return ''
  return t(
    'With melds of three nobody can go out from {size} cards: one is always left over. Deal nine or twelve.|With melds of three nobody can go out from {size} cards: two are always left over. Deal nine or twelve.',
    { size: Number(settings.hand_size), count: over },
  )
}
