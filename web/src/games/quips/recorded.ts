/** What a server sends, for tests: a small deck, three people and a bot, and scenes. */
import type { Choice, Scene, SceneExtras, Zone } from '../../protocol/extras'
import type {
  AllCards,
  ClientInfo,
  GameState,
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
        white('w_duck', 'A duck', {
          next_tier_id: 'w_duck_2',
          content: { en: 'A duck', de: 'Eine Ente' },
        }),
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
  state,
  { msg: 's_cardsplayed', selection: [] },
]

// Scenes

const slots = ['A duck', 'Cold soup', 'A brass band']
const handOf = (faces = slots): Zone => ({
  id: 'hand',
  label: 'Your cards',
  look: 'row',
  seat: 1,
  things: faces.map((face, slot) => ({ id: `slot ${slots.indexOf(face)}`, face, name: slot })),
})

/** Bob is to play. */
export function playing(pick = 1, faces = slots, more: Partial<Scene> = {}): Scene {
  const of = faces.map((_, slot) => slot)
  const play: Choice = {
    action: 'play',
    fields: { cards: { type: 'some', of, least: pick, most: pick, ordered: true, texts: 1 } },
  }
  return {
    viewer: 1,
    seats: everybody.map(({ id }) => ({
      seat: id,
      counters: { score: id },
      marks: id === 0 ? ['judge'] : ['still to play'],
    })),
    zones: [
      { id: 'black', label: 'Black card', look: 'text', things: [{ id: 'b', face: '______!' }] },
      handOf(faces),
    ],
    prompt: 'Fill the gaps of the black card.',
    counters: { round: 1, 'cards to play': pick, 'your blank cards': 1 },
    choices: [play],
    ...more,
  }
}

/** Three answers, with these marks; `viewer` 0 is the judge. */
export function judging(viewer: number | null, marks: string[] = ['', '', '']): Scene {
  const plays = ['A brass band', 'Cold soup', 'Über'].map((face, number): Zone => {
    const things = [{ id: `play ${number}`, face, marks: [marks[number] ?? ''] }]
    return { id: `play ${number}`, label: `Play ${number + 1}`, look: 'row', things, name: number }
  })
  const scene = playing(1, [], { viewer, choices: [] })
  const of = [0, 1, 2]
  const judge: Choice = { action: 'judge', fields: { index: { type: 'one', of } } }
  return { ...scene, zones: [scene.zones[0]!, ...plays], choices: viewer === 0 ? [judge] : [] }
}

export const shown = (scene: Scene): SceneExtras => ({
  type: 'extras_scene',
  scene,
  moves: [],
  names: everybody.map(({ name }) => name),
})
