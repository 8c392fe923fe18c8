/** An ONU table around its games: a pure fold over the protocol's messages. The games are drawn from
 *  scenes. */
import { t } from '../../lib/messages'
import type { Scene } from '../../protocol/extras'
import { NOTHING_DRAWN, type Drawn } from '../../scenes/fold'
import type { MatchResult } from '../../scenes/result'
import type { LobbyEvent, Message, PlayerInfo, SeatInfo } from './messages'

export interface TableState extends Drawn {
  channel: string
  /** This viewer's; `null` for a spectator. */
  place: number | null
  lobby: LobbyEvent | null
  /** Who plays in the game, by seat; empty before the first. */
  seats: Pick<SeatInfo, 'user' | 'name'>[]
  over: boolean
  winner: number | null
  /** The result has been put away. */
  seen: boolean
}

export const emptyTable: TableState = {
  ...NOTHING_DRAWN,
  channel: '',
  place: null,
  lobby: null,
  seats: [],
  over: false,
  winner: null,
  seen: false,
}

/** `over` shows a finished game until the next one, or until it was put away. */
export type Phase = 'lobby' | 'game' | 'over'

export function phaseOf({ seats, over, seen }: TableState): Phase {
  if (seats.length === 0 || (over && seen)) return 'lobby'
  return over ? 'over' : 'game'
}

export function fold(table: TableState, message: Message): TableState {
  switch (message.type) {
    case 'welcome':
      return { ...table, channel: message.channel, place: message.place }
    case 'lobby':
      return { ...table, lobby: message }
    case 'dealt':
      return { ...table, ...NOTHING_DRAWN, seats: message.players, over: false, winner: null }
    case 'state': {
      const { players: seats, over, winner } = message
      const seen = over && (table.seen || !isForMe(table, seats))
      return { ...table, seats, over, winner, seen }
    }
    case 'ended':
      return { ...table, over: true, winner: message.winner, seen: false }
    default:
      return table
  }
}

/** The visitor has seen the result and goes back to the lobby. */
export const putAway = (table: TableState): TableState => ({ ...table, seen: true })

/** A new player is not shown the end of a game they did not play in. */
const isForMe = (table: TableState, seats: TableState['seats']): boolean => {
  const me = playerAt(table, table.place)
  return !me || seats.some(({ user }) => user === me.user)
}

export const playerAt = (table: TableState, place: number | null): PlayerInfo | undefined =>
  table.lobby?.players.find((player) => player.place === place)

export const playerCalled = (table: TableState, user: string): PlayerInfo | undefined =>
  table.lobby?.players.find((player) => player.user === user)

/** By the name they have now. */
export function nameOf(table: TableState, seat: number): string {
  const one = table.seats[seat]
  return (one && playerCalled(table, one.user)?.name) ?? one?.name ?? t('Somebody')
}

/** The cards before a seat, as the scene has them. */
export const cardsOf = (scene: Scene | null, seat: number) =>
  scene?.zones.find((zone) => zone.seat === seat)?.things ?? []

export function resultOf(table: TableState): MatchResult | null {
  const { over, winner, seats, scene } = table
  if (!over) return null
  const left = seats.map((_, seat) => cardsOf(scene, seat).length)
  return {
    winners: winner === null ? [] : [winner],
    points: { ...left },
    what: t('Cards left'),
    ...(scene &&
      winner !== null &&
      left[winner] === 0 && {
        note: t('{name} played the last card.', { name: nameOf(table, winner) }),
      }),
  }
}
