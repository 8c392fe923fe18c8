/** Cambia's settings as people say them; which there are, the server's schema says. */
import type { Schema } from '../../lib/api'
import type { SettingWords } from '../../lib/schema'

export const words: SettingWords = {
  gameMode: {
    label: 'Seats',
    values: {
      head_to_head: 'Two',
      group_of_4: 'Four',
      circuit_4p: 'Circuit of four',
      circuit_7p8p: 'Circuit of eight',
      custom: 'Up to eight',
    },
  },
  name: { label: 'Name of the table' },
  matchmaking: {
    label: 'Offer it as a queue',
    help: 'Other programs then show this table among their queues and not among their lobbies.',
  },
  houseRules: { label: 'House rules' },
  circuit: { label: 'Circuit' },
  settings: { label: 'Start' },
  allowDrawFromDiscardPile: { label: 'Draw from the discards' },
  allowReplaceAbilities: { label: 'Replaced cards act' },
  snapRace: { label: 'Snap race' },
  forfeitOnDisconnect: { label: 'Forfeit on disconnect' },
  penaltyDrawCount: { label: 'Cards for a wrong snap' },
  autoKickTurnCount: { label: 'Missed turns' },
  turnTimerSec: { label: 'Seconds a turn' },
  allowOpponentSnapping: { label: 'Snap others’ cards' },
  lockCallerHand: { label: 'Lock the caller’s hand' },
  numJokers: { label: 'Jokers' },
  initialViewCount: { label: 'First look' },
  remindKnown: {
    label: 'Keep seen cards in sight',
    help: 'Cards you have seen stay visible to you until somebody moves them unseen.',
  },
  enabled: { label: 'Play a circuit' },
  mode: {
    label: 'Kind',
    values: { '': 'Any', circuit_4p: 'Four', circuit_7p8p: 'Seven or eight' },
  },
  rules: { label: 'Scoring' },
  targetScore: { label: 'Ends at' },
  winBonus: { label: 'For the winner' },
  falseCambiaPenalty: { label: 'For a false call' },
  freezeUserOnDisconnect: { label: 'Freeze absent players' },
  autoStart: { label: 'Start by itself' },
  countdownSec: { label: 'Countdown' },
}

const CHANGEABLE = ['houseRules', 'circuit', 'settings']

/** The part of the schema that `update_rules` can change once the table stands. */
export function changeable(schema: Schema): Schema {
  const definitions = (schema['$defs'] ?? {}) as Record<string, Schema>
  const name =
    String(schema['$ref'] ?? '')
      .split('/')
      .pop() ?? ''
  const root = definitions[name] ?? schema
  const all = (root['properties'] ?? {}) as Record<string, Schema>
  const properties = Object.fromEntries(
    Object.entries(all).filter(([key]) => CHANGEABLE.includes(key)),
  )
  return { $defs: definitions, type: 'object', properties }
}
