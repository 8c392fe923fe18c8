/** What this page says by itself: who is waited for, what only this player has seen, and how it
 *  ended. The rest is in the scenes. */
import { spoken } from '../../cards/faces'
import { capitalized, counted, listed } from '../../lib/text'
import { cardFace } from '../../scenes/decks'
import type { Card, Message } from './messages'
import type { Game } from './state'

const SIGNS = { H: '♥', D: '♦', C: '♣', S: '♠', R: '', B: '' }

/** A card of the protocol as scenes write it: "10♥", "joker". */
export function written({ rank, suit }: Pick<Card, 'rank' | 'suit'>): string | null {
  if (!rank || !suit) return null
  return rank === 'O' ? 'joker' : (rank === 'T' ? '10' : rank) + SIGNS[suit]
}

const face = (card: Card): string => spoken(cardFace(written(card)))

const named = (game: Game, me: string | null, id: string | undefined): string =>
  id === me ? 'You' : (game.players.find((player) => player.id === id)?.name ?? 'Somebody')

/** The players who are not ready yet. */
export function waitingFor(
  players: readonly { name: string; you: boolean; ready: boolean }[],
): string {
  const late = players.filter(({ ready }) => !ready)
  const others = late.filter(({ you }) => !you).map(({ name }) => name)
  if (others.length === 0) return 'The others wait for you.'
  return `Waiting for ${listed(late.length > others.length ? [...others, 'you'] : others)}.`
}

/** What only this player has just seen, and what happens before a game; "" for nothing. */
export function saidAloud(message: Message, game: Game | null, me: string | null): string {
  switch (message.type) {
    case 'chat':
      return message.userID === me ? '' : `${message.username} says: ${message.msg}`
    case 'phase_change':
      return message.phase === 'countdown' && message.seconds !== undefined
        ? `The game starts in ${counted(message.seconds, 'second')}.`
        : ''
    case 'private_initial_cards':
      return message.cards.length > 0 ? `Your first cards: ${listed(message.cards.map(face))}.` : ''
    case 'private_special_action_success': {
      const { card, card1 = card, card2 } = message
      const seen = [card1, card2].flatMap((one) => (one && game ? [place(game, me, one)] : []))
      return `${capitalized(listed(seen))}.`
    }
    default:
      return ''
  }
}

function place(game: Game, me: string | null, card: Card): string {
  const { user, idx = 0 } = card
  const whose = user?.id === me ? 'your' : `${named(game, me, user?.id)}’s`
  return `${whose} card ${idx + 1} is ${face(card)}`
}

/** How the game went, in one sentence. */
export function outcome(game: Game, me: string | null): string {
  const end = game.result
  if (!end) return ''
  if (end.reason === 'abandoned') return 'The game was stopped early.'
  const [winner, ...more] = end.winners
  if (winner === undefined) return 'The game ended without a winner.'
  const score = counted(end.scores[winner] ?? 0, 'point')
  if (more.length === 0) return `${named(game, me, winner)} won with ${score}.`
  const names = end.winners.map((id, at) => {
    const name = named(game, me, id)
    return name === 'You' && at > 0 ? 'you' : name
  })
  return `${listed(names)} share the win with ${score}.`
}

/** What else there is to say about the end: why it came, and what it cost the caller. */
export function aftermath(game: Game, me: string | null): string {
  const end = game.result
  if (!end) return ''
  const lines: string[] = []
  if (end.reason === 'stockpile') lines.push('There was nothing left to draw.')
  if (end.caller !== null) {
    const who = named(game, me, end.caller)
    if (end.penaltyApplied) lines.push(`${who} called Cambia without the lowest hand.`)
    else if (end.winners.includes(end.caller))
      lines.push(`${who} called Cambia with the lowest hand.`)
  }
  if (end.circuit?.over) {
    const names = end.circuit.champions.map((id) => named(game, me, id))
    lines.push(`The circuit is over: ${listed(names)} won it.`)
  }
  return lines.join(' ')
}
