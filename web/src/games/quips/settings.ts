/** Quips' settings as people say them; which there are, the server's schema says. */
import { mark } from '../../lib/messages'
import type { Schema } from '../../lib/api'
import { without, type SettingWords } from '../../lib/schema'

export const words: SettingWords = {
  server_name: { label: mark('Name of the table') },
  player_password: { label: mark('Password') },
  allow_duplicates: { label: mark('Several players per address') },
  min_players: { label: mark('Players needed') },
  max_players: { label: mark('Players at most') },
  max_spectators: { label: mark('Spectators at most') },
  enable_game_ready_up: { label: mark('Wait until all are ready') },
  bot_count: { label: mark('Bots') },
  bot_names: { label: mark('Names of the bots') },
  hand_size: { label: mark('Cards in a hand') },
  blank_cards: { label: mark('Cards to write yourself') },
  max_blank_card_length: { label: mark('Letters on a written card') },
  discards: { label: mark('Cards to throw away') },
  enable_upgrades: { label: mark('Upgrades') },
  pick_one_only: { label: mark('One gap only') },
  bot_czars: { label: mark('Bots judge too') },
  winner_czar: { label: mark('The winner judges next') },
  perma_czar: { label: mark('One judge for the game') },
  allow_skips: { label: mark('Skipping by vote') },
  enable_chat: { label: mark('Talk') },
  max_points: { label: mark('Points that end the game') },
  max_rounds: { label: mark('Rounds at most') },
  round_end_timeout: { label: mark('Pause after a round') },
  game_end_timeout: { label: mark('Pause after a game') },
  afk_time_seconds: { label: mark('Time to think') },
  idle_kick_time_seconds: { label: mark('Time until an idle player loses the seat') },
  player_preserve_time: { label: mark('Time a seat is kept after a lost connection') },
}

/** What can be changed at a table that is open: bots come and go one by one. */
export const changeable = (schema: Schema): Schema => without(schema, 'bot_count')
