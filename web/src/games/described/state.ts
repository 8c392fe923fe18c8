/** What the messages of a table add up to, whatever is played there. */
import type { ChangeExtras, Scene, SceneExtras } from '../../protocol/extras'
import type { Event, LobbyEvent, PlayerInfo, ResultEvent } from '../../protocol/plain'

export type Drawing = SceneExtras | ChangeExtras | { type: 'extras_no_scene'; message: string }
export type Message = Event | Drawing

export interface TableState {
  code: string
  /** This visitor's place; `null`: watching, or not known yet. */
  place: number | null
  lobby: LobbyEvent | null
  scene: Scene | null
  /** Why there is no scene. */
  trouble: string
  result: ResultEvent | null
  /** Who plays in the match, by seat; kept when they leave, and after the match. */
  seats: Record<number, PlayerInfo>
  /** Shows the table and not the lobby. */
  atTable: boolean
}

export const EMPTY: TableState = {
  code: '',
  place: null,
  lobby: null,
  scene: null,
  trouble: '',
  result: null,
  seats: {},
  atTable: false,
}

export function fold(state: TableState, message: Message): TableState {
  switch (message.type) {
    case 'welcome':
      return { ...state, code: message.code, place: message.place }
    case 'lobby':
      return withLobby(state, message)
    case 'match':
      return { ...state, result: null, scene: null, trouble: '', atTable: true }
    case 'result':
      return { ...state, result: message }
    case 'extras_scene':
      return { ...state, scene: message.scene, trouble: '' }
    case 'extras_change':
      return { ...state, scene: state.scene && changed(state.scene, message) }
    case 'extras_no_scene':
      return { ...state, scene: null, trouble: message.message }
    default:
      return state
  }
}

function withLobby(state: TableState, lobby: LobbyEvent): TableState {
  if (!lobby.running) return { ...state, lobby }
  const seated = lobby.players.filter(({ seat }) => seat !== null)
  const seats = Object.fromEntries(seated.map((player) => [player.seat, player]))
  return { ...state, lobby, seats: { ...state.seats, ...seats } }
}

/** A scene with what has changed in it. Zones that are not listed stay as they were. */
export function changed(scene: Scene, { fields, zones = [], order = [] }: ChangeExtras): Scene {
  const next = { ...scene, ...fields }
  if (order.length === 0) return next
  const known = new Map([...scene.zones, ...zones].map((zone) => [zone.id, zone]))
  return { ...next, zones: order.flatMap((id) => known.get(id) ?? []) }
}

export const putAway = (state: TableState): TableState => ({ ...state, atTable: false })

export const playerAt = (state: TableState, place: number | null): PlayerInfo | undefined =>
  state.lobby?.players.find((player) => player.place === place)

/** A text of the scene, with the players' names in it. */
export function filled(text: string, { seats }: TableState): string {
  return text.replace(/\{(\d+)\}/g, (_, seat: string) => seats[Number(seat)]?.name ?? 'somebody')
}
