/** Cambia's settings as people say them; which there are, the server's schema says. */
import { mark } from '../../lib/messages'
import type { Schema } from '../../lib/api'
import type { SettingWords } from '../../lib/schema'

export const words: SettingWords = {
  gameMode: {
    label: mark('Seats'),
    values: {
      head_to_head: mark('Two'),
      group_of_4: mark('Four'),
      circuit_4p: mark('Circuit of four'),
      circuit_7p8p: mark('Circuit of eight'),
      custom: mark('Up to eight'),
    },
  },
  name: { label: mark('Name of the table') },
  matchmaking: {
    label: mark('Offer it as a queue'),
    help: mark(
      'Other programs then show this table among their queues and not among their lobbies.',
    ),
  },
  houseRules: { label: mark('House rules') },
  circuit: { label: mark('Circuit') },
  settings: { label: mark('Start') },
  allowDrawFromDiscardPile: { label: mark('Draw from the discards') },
  allowReplaceAbilities: { label: mark('Replaced cards act') },
  snapRace: { label: mark('Snap race') },
  forfeitOnDisconnect: { label: mark('Forfeit on disconnect') },
  penaltyDrawCount: { label: mark('Cards for a wrong snap') },
  autoKickTurnCount: { label: mark('Missed turns') },
  turnTimerSec: { label: mark('Seconds a turn') },
  allowOpponentSnapping: { label: mark('Snap others’ cards') },
  lockCallerHand: { label: mark('Lock the caller’s hand') },
  numJokers: { label: mark('Jokers') },
  initialViewCount: { label: mark('First look') },
  remindKnown: {
    label: mark('Keep seen cards in sight'),
    help: mark('Cards you have seen stay visible to you until somebody moves them unseen.'),
  },
  enabled: { label: mark('Play a circuit') },
  mode: {
    label: mark('Kind'),
    values: { '': mark('Any'), circuit_4p: mark('Four'), circuit_7p8p: mark('Seven or eight') },
  },
  rules: { label: mark('Scoring') },
  targetScore: { label: mark('Ends at') },
  winBonus: { label: mark('For the winner') },
  falseCambiaPenalty: { label: mark('For a false call') },
  freezeUserOnDisconnect: { label: mark('Freeze absent players') },
  autoStart: { label: mark('Start by itself') },
  countdownSec: { label: mark('Countdown') },
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
