/** The table in sentences: what is to be done, and what just happened. */
import { counted, listed } from '../../lib/text'
import type { PlayerInfo, ServerMessage } from './messages'
import { asked, pickOf, playerOf, sameMoment, type TableState } from './state'
import { customText, isCustom, sentence, wording, type Wording } from './texts'

/** The text of any card: white, black, or written by a player. */
export function textOf(state: TableState, id: string, language: string): Wording {
  if (isCustom(id)) return { text: customText(id), lang: '' }
  const card = state.whites.get(id) ?? state.blacks.get(id)
  return card ? wording(card.content, language) : { text: '…', lang: '' }
}

export const textsOf = (state: TableState, ids: readonly string[], language: string): string[] =>
  ids.map((id) => textOf(state, id, language).text)

/** The black card with these answers in its gaps. */
export function filled(state: TableState, ids: readonly string[], language: string): string {
  const black = state.game.black_card
  if (black === null) return ''
  return sentence(textOf(state, black, language).text, pickOf(state), textsOf(state, ids, language))
}

export const named = (state: TableState, id: number): string =>
  id === state.me && id >= 0 ? 'You' : (playerOf(state, id)?.name ?? 'Somebody who has left')

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five']
const cards = (n: number): string => `${NUMBERS[n] ?? n} card${n === 1 ? '' : 's'}`

/** The other players who are still choosing; idle players are left out. */
export function awaited(state: TableState): PlayerInfo[] {
  return state.players.filter(
    ({ id, idle }) => state.game.pending_players.includes(id) && !idle && id !== state.me,
  )
}

function waitingFor(state: TableState): string {
  const names = awaited(state).map(({ name }) => name)
  if (names.length === 0) return 'One moment …'
  return names.length > 3
    ? `Waiting for ${counted(names.length, 'player')}.`
    : `Waiting for ${listed(names)}.`
}

/** What there is to do now. `turned`: how many answers lie open; `chosen`: how many are picked. */
export function banner(state: TableState, turned: number, chosen: number): string {
  const { game, me } = state
  const judge = named(state, game.judge)
  switch (game.stage) {
    case 'game_starting':
      return 'The game has not begun yet.'
    case 'playing': {
      if (asked(state) === 'play') {
        const left = pickOf(state) - chosen
        if (left <= 0) return 'Happy with it? Play!'
        return chosen > 0 ? `And ${cards(left)} more.` : `Choose ${cards(left)}.`
      }
      if (game.judge === me && me !== null) return `You judge this round. ${waitingFor(state)}`
      return waitingFor(state)
    }
    case 'judging':
      if (game.judge !== me || me === null) return `${judge} reads the answers.`
      return turned < game.plays.length
        ? 'You are the judge: turn the answers over and read them out.'
        : 'Crown the one you like best.'
    case 'round_end':
      return winnerOfRound(state)
    case 'game_end':
      return winnersOfGame(state)
  }
}

export function winnerOfRound(state: TableState): string {
  const { winning_player: winner, judge_voted_self: self } = state.game
  const name = named(state, winner)
  if (!self) return `${name} won this round!`
  return `${name} won, by ${name === 'You' ? 'your' : 'their'} own verdict!`
}

export function winnersOfGame(state: TableState): string {
  const winners = state.game.game_results?.winners ?? []
  if (winners.length === 0) return 'The game is over.'
  // The reader's own name comes first.
  const names = winners
    .map((id) => named(state, id))
    .sort((a, b) => Number(b === 'You') - Number(a === 'You'))
  return names.length === 1
    ? `${names[0]} won the game!`
    : `${listed(names)} won the game together!`
}

/** A sentence for the list of what happened, and one to be said aloud. */
export interface Told {
  written?: string
  aloud?: string
}

/** What there is to tell of a message that led from `before` to `after`. */
export function told(
  before: TableState,
  message: ServerMessage,
  after: TableState,
  language: string,
): Told {
  switch (message.msg) {
    case 's_players':
      return whoCame(before, after)
    case 's_notify_skipped':
      return {
        written: `Skipped by vote: “${textOf(after, message.skipped_id, language).text}”`,
        aloud: 'The dark card was skipped by vote. Your cards are back in your hand.',
      }
    case 's_chat_msg':
      return { aloud: `${message.author} says: ${message.body}` }
    case 's_gamestate':
      return sameMoment(before.game, after.game)
        ? judgeChanged(before, after)
        : stageBegan(after, language)
    default:
      return {}
  }
}

/** The extras tell who left, and why. */
function whoCame(before: TableState, after: TableState): Told {
  const came = after.players.filter(({ id }) => !playerOf(before, id)).map(({ name }) => name)
  const line = came.length > 0 ? `${listed(came)} sat down.` : ''
  // In the lobby, the lobby itself announces who comes and goes.
  return after.game.stage === 'game_starting' ? { written: line } : { written: line, aloud: line }
}

function judgeChanged(before: TableState, after: TableState): Told {
  if (before.game.judge === after.game.judge) return {}
  const line = `${judges(after)} now.`
  return { written: line, aloud: line }
}

const judges = (state: TableState): string =>
  state.game.judge === state.me ? 'You judge' : `${named(state, state.game.judge)} judges`

function stageBegan(state: TableState, language: string): Told {
  const { game } = state
  switch (game.stage) {
    case 'game_starting':
      return { aloud: 'Back in the lobby. The game begins when everybody is ready.' }
    case 'playing': {
      const card = filled(state, [], language)
      return {
        written: `Round ${game.round}: ${judges(state)}.`,
        aloud: `Round ${game.round}. ${judges(state)}. The card reads: ${card} ${banner(state, 0, 0)}`,
      }
    }
    case 'judging':
      return { aloud: `${counted(game.plays.length, 'answer')} to judge. ${banner(state, 0, 0)}` }
    case 'round_end': {
      const answer = filled(state, game.plays[game.winning_play] ?? [], language)
      const line = `${winnerOfRound(state)} “${answer}”`
      return { written: line, aloud: line }
    }
    case 'game_end':
      return { written: winnersOfGame(state), aloud: winnersOfGame(state) }
  }
}
