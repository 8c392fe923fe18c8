/** For tests: a table's settings. */
import type { Settings } from '../../protocol/rummy'

export const settings: Settings = {
  deck_count: 1,
  enable_jokers: false,
  hand_size: 10,
  first_turn: 'next_player',
  allow_draw_choice: false,
  allow_run_mixed_suit: false,
  allow_set_duplicate_suit: false,
  limit_meld_size: null,
  ace_rank: 'low',
  deck_exhaust: 'flip_discard',
  require_end_discard: false,
  lay_at_end: false,
}
