/** Quips' settings as people say them; which there are, the server's schema says. */
import type { Schema } from '../../lib/api'
import type { SettingWords } from '../../lib/schema'

export const words: SettingWords = {
  server_name: { label: 'Name of the table' },
  player_password: { label: 'Password' },
  allow_duplicates: { label: 'Several players per address' },
  min_players: { label: 'Players needed' },
  max_players: { label: 'Players at most' },
  max_spectators: { label: 'Spectators at most' },
  enable_game_ready_up: { label: 'Wait until all are ready' },
  bot_count: { label: 'Bots' },
  bot_names: { label: 'Names of the bots' },
  hand_size: { label: 'Cards in a hand' },
  blank_cards: { label: 'Cards to write yourself' },
  max_blank_card_length: { label: 'Letters on a written card' },
  discards: { label: 'Cards to throw away' },
  enable_upgrades: { label: 'Upgrades' },
  pick_one_only: { label: 'One gap only' },
  bot_czars: { label: 'Bots judge too' },
  winner_czar: { label: 'The winner judges next' },
  perma_czar: { label: 'One judge for the game' },
  allow_skips: { label: 'Skipping by vote' },
  enable_chat: { label: 'Talk' },
  max_points: { label: 'Points that end the game' },
  max_rounds: { label: 'Rounds at most' },
  round_end_timeout: { label: 'Pause after a round' },
  game_end_timeout: { label: 'Pause after a game' },
  afk_time_seconds: { label: 'Time to think' },
  idle_kick_time_seconds: { label: 'Time until an idle player loses the seat' },
  player_preserve_time: { label: 'Time a seat is kept after a lost connection' },
}

/** What can be changed at a table that is open: bots come and go one by one. */
export function changeable(schema: Schema): Schema {
  const definitions = schema['$defs'] as { Settings: { properties: Record<string, Schema> } }
  const { bot_count: _, ...properties } = definitions.Settings.properties
  return { ...schema, $defs: { ...definitions, Settings: { ...definitions.Settings, properties } } }
}
