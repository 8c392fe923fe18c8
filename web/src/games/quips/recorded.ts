/** Messages as a server sends them, for tests: a small deck, three people and a bot. */
import type {
  AllCards,
  BlackCard,
  ClientInfo,
  GameState,
  Hand,
  PlayerInfo,
  Players,
  ServerMessage,
  WhiteCard,
} from './messages'

const white = (id: string, en: string, more: Partial<WhiteCard> = {}): WhiteCard => ({
  id,
  content: { en },
  flags: [],
  tier: 0,
  tier_cost: 0,
  next_tier_id: '',
  ...more,
})

const black = (id: string, en: string, pick: number, de = en): BlackCard => ({
  id,
  content: { en, de },
  flags: [],
  pick,
  draw: 0,
})

export const allCards: AllCards = {
  msg: 's_allcards',
  packs: [
    {
      id: 'small',
      name: 'A small pack',
      accent: 'teal',
      accent_color: '#ffffff',
      accent_background: '#115e59',
      cards: [
        black('b_one', 'At last: ______ for breakfast.', 1, 'Endlich: ______ zum Frühstück.'),
        black('b_two', 'First ______, then ______.', 2),
        black('b_question', 'What is in the box?', 1),
        white('w_duck', 'A duck', { next_tier_id: 'w_duck_2' }),
        white('w_duck_2', 'A duck with a plan', { tier: 1, tier_cost: 2 }),
        white('w_soup', 'Cold soup'),
        white('w_band', 'A brass band'),
      ],
      trophies: [],
    },
  ],
}

export const person = (id: number, name: string, more: Partial<PlayerInfo> = {}): PlayerInfo => ({
  id,
  name,
  score: 0,
  upgrade_points: 0,
  voted_skip: false,
  idle: false,
  is_bot: false,
  ready_up: false,
  host: id === 0,
  turns: false,
  ...more,
})

export const everybody = [
  person(0, 'Ann'),
  person(1, 'Bob'),
  person(2, 'Cid'),
  person(3, 'Ruff', { is_bot: true }),
]

export const players = (list: PlayerInfo[] = everybody): Players => ({
  msg: 's_players',
  players: list,
})

export const hand = (more: Partial<Hand> = {}): Hand => ({
  msg: 's_hand',
  blanks: 1,
  discards: 1,
  hand: ['w_duck', 'w_soup', 'w_band'],
  ...more,
})

export const gameState = (more: Partial<GameState> = {}): GameState => ({
  msg: 's_gamestate',
  stage: 'playing',
  ready_up: false,
  round: 1,
  black_card: 'b_one',
  judge: 0,
  pending_players: [1, 2, 3],
  plays: [],
  winning_play: -1,
  winning_player: -1,
  judge_voted_self: false,
  game_results: null,
  ...more,
})

export const judging = gameState({
  stage: 'judging',
  pending_players: [],
  plays: [['w_band'], ['w_soup'], ['custom_w5xiZXI=']],
})

export const clientInfo = (id: number, name: string): ClientInfo => ({
  msg: 's_clientinfo',
  player_id: id,
  player_name: name,
  player_token: 'f'.repeat(32),
})

/** What a player is told on connecting, in the server's order. */
export const greeting = (id: number, state: GameState = gameState()): ServerMessage[] => [
  clientInfo(id, everybody[id]?.name ?? ''),
  players(),
  allCards,
  hand(),
  state,
  { msg: 's_auxclientdata', aux_points: 1 },
  { msg: 's_cardsplayed', selection: [] },
]
