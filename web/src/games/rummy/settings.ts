/** Super Rummy's settings as people say them; which there are, the server's schema says. */
import type { SettingWords } from '../../lib/schema'
import type { Settings } from '../../protocol/rummy'

export const words: SettingWords = {
  deck_count: { label: 'Decks', values: { 1: 'One', 2: 'Two', 4: 'Four' } },
  enable_jokers: { label: 'Jokers' },
  hand_size: {
    label: 'Cards dealt',
    help: 'By players: ten each for two, seven each for more.',
    values: { 0: 'By players' },
  },
  first_turn: {
    label: 'Who begins',
    values: { next_player: 'In turn', prev_winner: 'Last winner', random: 'Anybody' },
  },
  allow_draw_choice: { label: 'Look before drawing' },
  allow_run_mixed_suit: { label: 'Runs of mixed suits' },
  allow_set_duplicate_suit: { label: 'Same suit twice in a set' },
  limit_meld_size: { label: 'Largest meld', values: { null: 'No limit', 3: 'Three', 4: 'Four' } },
  ace_rank: { label: 'Aces', values: { low: 'Low', high: 'High' } },
  deck_exhaust: {
    label: 'Empty deck',
    values: {
      flip_discard: 'Flip discards',
      shuffle_discard: 'Shuffle discards',
      end_round: 'End the round',
    },
  },
  require_end_discard: { label: 'Go out with a discard' },
  lay_at_end: { label: 'Losers lay off' },
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
  return (
    `With melds of three nobody can go out from ${settings.hand_size} cards: ` +
    `${over === 1 ? 'one is' : 'two are'} always left over. Deal nine or twelve.`
  )
}
