/** What the messages of a Quips table add up to: a pure fold, without the page around it. */
import {
  isBlack,
  isWhite,
  type BlackCard,
  type GameState,
  type Pack,
  type PlayerInfo,
  type ServerMessage,
  type WhiteCard,
} from './messages'

export interface ChatLine {
  id: number
  author: string
  body: string
}

export interface TableState {
  /** One's own id; `null` for a spectator. */
  me: number | null
  name: string
  token: string
  players: PlayerInfo[]
  packs: Pack[]
  /** Every card of the packs by its id, and the pack it is from. */
  whites: ReadonlyMap<string, WhiteCard>
  blacks: ReadonlyMap<string, BlackCard>
  packOf: ReadonlyMap<string, Pack>
  hand: string[]
  blanks: number
  discards: number
  /** Points to spend on upgrades. */
  points: number
  /** What one has played this round. */
  played: string[]
  /** The answers that the judge has turned over. */
  turned: readonly number[]
  game: GameState
  /** When the stage began, or was first heard of. */
  since: number
  chat: ChatLine[]
}

const nothing: GameState = {
  msg: 's_gamestate',
  stage: 'game_starting',
  ready_up: false,
  round: 0,
  black_card: null,
  judge: -1,
  pending_players: [],
  plays: [],
  winning_play: -1,
  winning_player: -1,
  judge_voted_self: false,
  game_results: null,
}

export const emptyTable: TableState = {
  me: null,
  name: '',
  token: '',
  players: [],
  packs: [],
  whites: new Map(),
  blacks: new Map(),
  packOf: new Map(),
  hand: [],
  blanks: 0,
  discards: 0,
  points: 0,
  played: [],
  turned: [],
  game: nothing,
  since: 0,
  chat: [],
}

const CHAT_LENGTH = 60

/** What is known after `message`, which arrived at `now`. */
export function fold(state: TableState, message: ServerMessage, now: number): TableState {
  switch (message.msg) {
    case 's_clientinfo':
      return {
        ...state,
        me: message.player_id,
        name: message.player_name,
        token: message.player_token,
      }
    case 's_players':
      return { ...state, players: message.players }
    case 's_allcards':
      return { ...state, packs: message.packs, ...cardsIn(message.packs) }
    case 's_hand':
      return {
        ...state,
        hand: message.hand,
        blanks: message.blanks,
        discards: message.discards,
      }
    case 's_auxclientdata':
      return { ...state, points: message.aux_points }
    case 's_cardsplayed':
      return { ...state, played: message.selection }
    case 's_turned':
      return { ...state, turned: message.plays }
    case 's_gamestate':
      return {
        ...state,
        game: message,
        since: sameMoment(state.game, message) ? state.since : now,
      }
    case 's_chat_msg': {
      const id = (state.chat.at(-1)?.id ?? -1) + 1
      const line = { id, author: message.author, body: message.body }
      return { ...state, chat: [...state.chat.slice(1 - CHAT_LENGTH), line] }
    }
    default:
      return state
  }
}

/** Whether it is still the same stage of the same round, with the same black card. */
export const sameMoment = (a: GameState, b: GameState): boolean =>
  a.stage === b.stage && a.round === b.round && a.black_card === b.black_card

type Cards = Pick<TableState, 'whites' | 'blacks' | 'packOf'>

function cardsIn(packs: Pack[]): Cards {
  const whites = new Map<string, WhiteCard>()
  const blacks = new Map<string, BlackCard>()
  const packOf = new Map<string, Pack>()
  for (const pack of packs) {
    for (const card of pack.cards) {
      packOf.set(card.id, pack)
      if (isBlack(card)) blacks.set(card.id, card)
      else if (isWhite(card)) whites.set(card.id, card)
    }
  }
  return { whites, blacks, packOf }
}

// What can be read off the state

/** Whether the judge turns the answers over for everybody. */
export const judgeTurns = (state: TableState): boolean => {
  const judge = playerOf(state, state.game.judge)
  return judge !== undefined && judge.turns && !judge.is_bot
}

export const playerOf = (state: TableState, id: number): PlayerInfo | undefined =>
  state.players.find((player) => player.id === id)

/** What this visitor is to do. */
export type Asked = 'ready' | 'play' | 'wait' | 'judge' | 'over' | 'watch'

export function asked(state: TableState): Asked {
  const { me, game } = state
  if (me === null) return 'watch'
  if (game.stage === 'game_end') return 'over'
  if (game.stage === 'game_starting') return game.ready_up && !readyNow(state) ? 'ready' : 'wait'
  // The server never names the judge as pending; one who has played is not asked again.
  if (game.stage === 'playing') return mayPlay(state) ? 'play' : 'wait'
  return game.stage === 'judging' && game.judge === me ? 'judge' : 'wait'
}

const readyNow = (state: TableState): boolean =>
  state.me !== null && (playerOf(state, state.me)?.ready_up ?? false)

function mayPlay({ me, game, played }: TableState): boolean {
  return me !== null && game.pending_players.includes(me) && played.length === 0
}

/** How many answers the black card takes. */
export const pickOf = (state: TableState): number =>
  state.blacks.get(state.game.black_card ?? '')?.pick ?? 1

export type Standing = 'judge' | 'choosing' | 'played' | 'idle' | 'ready' | 'not ready' | ''

/** In a word, what somebody at the table is doing. */
export function standing({ game }: TableState, player: PlayerInfo): Standing {
  if (game.stage === 'game_starting') return player.ready_up ? 'ready' : 'not ready'
  if (player.id === game.judge && game.stage !== 'game_end') return 'judge'
  if (player.idle) return 'idle'
  if (game.stage !== 'playing') return ''
  return game.pending_players.includes(player.id) ? 'choosing' : 'played'
}

/** The highest score first; in between, as they came. */
export const ranking = (players: readonly PlayerInfo[]): PlayerInfo[] =>
  [...players].sort((a, b) => b.score - a.score)

/** What a card of the hand can become, and for how much; `null`: nothing better. */
export function upgradeOf(state: TableState, id: string): WhiteCard | null {
  const next = state.whites.get(id)?.next_tier_id
  return (next && state.whites.get(next)) || null
}

/** Votes for another black card, and how many it takes: more than half of the people who count. */
export function votes(state: TableState): { cast: number; needed: number } {
  const people = state.players.filter((player) => !player.is_bot && !player.idle)
  return {
    cast: people.filter((player) => player.voted_skip).length,
    needed: Math.floor(people.length / 2) + 1,
  }
}
