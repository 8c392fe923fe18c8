/** A Quips table around its games: a pure fold over the protocol's messages. The games are drawn
 *  from scenes. */
import { t } from '../../lib/messages'
import type { SceneExtras } from '../../protocol/extras'
import { NOTHING_DRAWN, type Drawn } from '../../scenes/fold'
import type { MatchResult } from '../../scenes/result'
import type { GameState, Pack, PlayerInfo, ServerMessage } from './messages'

export interface TableState extends Drawn {
  /** One's own id; `null` for a spectator. */
  me: number | null
  name: string
  token: string
  players: PlayerInfo[]
  packs: Pack[]
  game: Pick<GameState, 'stage' | 'ready_up' | 'game_results'>
  /** Who plays in the game, by seat; also those who have left. */
  names: SceneExtras['names']
}

export const emptyTable: TableState = {
  ...NOTHING_DRAWN,
  me: null,
  name: '',
  token: '',
  players: [],
  packs: [],
  game: { stage: 'game_starting', ready_up: false, game_results: null },
  names: [],
}

export function fold(state: TableState, message: ServerMessage): TableState {
  switch (message.msg) {
    case 's_clientinfo': {
      const { player_id: me, player_name: name, player_token: token } = message
      return { ...state, me, name, token }
    }
    case 's_players':
      return { ...state, players: message.players }
    case 's_allcards':
      return { ...state, packs: message.packs }
    case 's_gamestate':
      return {
        ...state,
        ...(message.stage === 'game_starting' && NOTHING_DRAWN),
        game: message,
      }
    default:
      return state
  }
}

export const playerOf = (state: TableState, id: number | null): PlayerInfo | undefined =>
  state.players.find((player) => player.id === id)

/** The highest score first; in between, as they came. */
export const ranking = (players: readonly PlayerInfo[]): PlayerInfo[] =>
  [...players].sort((a, b) => b.score - a.score)

export function resultOf({ game, scene }: TableState): MatchResult | null {
  if (game.stage !== 'game_end' || !scene) return null
  const winners = scene.seats.filter(({ marks }) => marks?.includes('winner'))
  const points = scene.seats.map(({ seat, counters }) => [seat, counters?.['score'] ?? 0])
  return {
    winners: winners.map(({ seat }) => seat),
    points: Object.fromEntries(points),
    what: t('Points'),
  }
}
