/** For tests: tables made of messages, and games as the server recorded them. */
import { framesFor } from '../../lib/golden'
import type { GameState, HouseRules, LobbyState, Message, Result } from './messages'
import { emptyTable, fold, type TableState } from './state'

export const RULES: HouseRules = {
  allowDrawFromDiscardPile: false,
  allowReplaceAbilities: false,
  snapRace: false,
  forfeitOnDisconnect: true,
  penaltyDrawCount: 2,
  autoKickTurnCount: 3,
  turnTimerSec: 15,
  allowOpponentSnapping: false,
  lockCallerHand: true,
  numJokers: 2,
  initialViewCount: 2,
  remindKnown: false,
}

/** What `viewer` ("seat0", "watcher" …) heard in a golden transcript, in the enveloped form. */
export const heardBy = (viewer: string, transcript: string): Message[] =>
  framesFor(transcript, `${viewer}/cambia`) as Message[]

/** Ann (you), Bob and Cid with four cards each (a0 … c3), three discards, and Ann to draw. */
export function dealt(
  changes: Partial<GameState> = {},
  rules: Partial<HouseRules> = {},
): Message & { type: 'private_sync_state' } {
  const ids = ['ann', 'bob', 'cid']
  return {
    type: 'private_sync_state',
    state: {
      gameId: 'game',
      preGameActive: false,
      started: true,
      gameOver: false,
      currentPlayerId: 'ann',
      turnId: 1,
      stockpileSize: 39,
      discardSize: 3,
      discardTop: { id: 'top', known: true, rank: '5', suit: 'C', value: 5 },
      players: ids.map((playerId) => ({
        playerId,
        username: playerId.charAt(0).toUpperCase() + playerId.slice(1),
        handSize: 4,
        hasCalledCambia: false,
        connected: true,
        isCurrentTurn: playerId === 'ann',
        revealedHand: [0, 1, 2, 3].map((idx) => ({
          id: `${playerId.charAt(0)}${idx}`,
          idx,
          known: false,
        })),
        timerPlays: false,
      })),
      cambiaCalled: false,
      cambiaCallerId: null,
      houseRules: { ...RULES, ...rules },
      turnDeadline: 16_000,
      serverNow: 1_000,
      specialAction: { active: false, playerId: null, cardRank: null },
      ...changes,
    },
  }
}

export function lobbyOf(phase: LobbyState['phase'], me: string | null = 'ann'): LobbyState {
  return {
    type: 'lobby_state',
    lobby_id: 'lobby',
    host_id: 'ann',
    your_id: me,
    your_is_host: me === 'ann',
    lobby_type: 'private',
    game_mode: 'custom',
    in_game: phase === 'in_game',
    game_id: phase === 'in_game' ? 'game' : null,
    house_rules: RULES,
    circuit: {
      enabled: false,
      mode: '',
      rules: {
        targetScore: 100,
        winBonus: -1,
        falseCambiaPenalty: 1,
        freezeUserOnDisconnect: true,
      },
    },
    settings: { autoStart: true, countdownSec: null },
    lobby_status: { users: [] },
    name: '',
    code: '123456',
    max_players: 8,
    phase,
  }
}

/** The table after these messages, all of which arrived at the moment 5000 of this machine, with
 *  Ann's game under way. */
export const inGame = (...messages: Message[]): TableState =>
  [lobbyOf('in_game'), dealt(), ...messages].reduce(
    (table, message) => fold(table, message, 5_000),
    emptyTable,
  )

export const peeked: Message = {
  type: 'private_special_action_success',
  user: { id: 'ann' },
  special: 'peek_self',
  card1: { id: 'a1', rank: 'T', suit: 'H', value: 10, idx: 1, user: { id: 'ann' } },
}

export const ended = (changes: Partial<Result> = {}): Message => ({
  type: 'game_end',
  payload: {
    scores: { ann: 9, bob: 4, cid: 12 },
    winner: 'bob',
    winners: ['bob'],
    caller: 'ann',
    penaltyApplied: true,
    winBonusApplied: false,
    reason: 'cambia',
    hands: {},
    ...changes,
  },
})
