/** What this page says by itself: who is waited for, what only this player has seen, and how it
 *  ended. The rest is in the scenes. */
import { spoken } from '../../cards/faces'
import { listed, t } from '../../lib/messages'
import { capitalized } from '../../lib/text'
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

const named = (game: Game, id: string | undefined): string =>
  game.players.find((player) => player.id === id)?.name ?? t('Somebody')

/** The players who are not ready yet. */
export function waitingFor(
  players: readonly { name: string; you: boolean; ready: boolean }[],
): string {
  const late = players.filter(({ ready }) => !ready)
  const others = late.filter(({ you }) => !you).map(({ name }) => name)
  if (others.length === 0) return t('The others wait for you.')
  const names = listed(late.length > others.length ? [...others, t('you')] : others)
  return t('Waiting for {names}.', { names })
}

/** What only this player has just seen, and what happens before a game; "" for nothing. */
export function saidAloud(message: Message, game: Game | null, me: string | null): string {
  switch (message.type) {
    case 'chat':
      return message.userID === me
        ? ''
        : t('{name} says: {text}', { name: message.username, text: message.msg })
    case 'phase_change':
      return message.phase === 'countdown' && message.seconds !== undefined
        ? t('The game starts in {count} second.|The game starts in {count} seconds.', {
            count: message.seconds,
          })
        : ''
    case 'private_initial_cards':
      return message.cards.length > 0
        ? t('Your first cards: {cards}.', { cards: listed(message.cards.map(face)) })
        : ''
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
  const number = idx + 1
  return user?.id === me
    ? t('your card {number} is {card}', { number, card: face(card) })
    : t('{name}’s card {number} is {card}', {
        name: named(game, user?.id),
        number,
        card: face(card),
      })
}

/** How the game went, in one sentence. */
export function outcome(game: Game, me: string | null): string {
  const end = game.result
  if (!end) return ''
  if (end.reason === 'abandoned') return t('The game was stopped early.')
  const [winner, ...more] = end.winners
  if (winner === undefined) return t('The game ended without a winner.')
  const score = t('{count} point|{count} points', { count: end.scores[winner] ?? 0 })
  if (more.length === 0) {
    return winner === me
      ? t('You won with {score}.', { score })
      : t('{name} won with {score}.', { name: named(game, winner), score })
  }
  const names = end.winners.map((id) => (id === me ? t('you') : named(game, id)))
  return t('{names} share the win with {score}.', { names: capitalized(listed(names)), score })
}

/** What else there is to say about the end: why it came, and what it cost the caller. */
export function aftermath(game: Game, me: string | null): string {
  const end = game.result
  if (!end) return ''
  const lines: string[] = []
  if (end.reason === 'stockpile') lines.push(t('There was nothing left to draw.'))
  if (end.caller !== null) {
    const own = end.caller === me
    const name = named(game, end.caller)
    if (end.penaltyApplied) {
      lines.push(
        own
          ? t('You called Cambia without the lowest hand.')
          : t('{name} called Cambia without the lowest hand.', { name }),
      )
    } else if (end.winners.includes(end.caller)) {
      lines.push(
        own
          ? t('You called Cambia with the lowest hand.')
          : t('{name} called Cambia with the lowest hand.', { name }),
      )
    }
  }
  if (end.circuit?.over) {
    const names = end.circuit.champions.map((id) => (id === me ? t('you') : named(game, id)))
    lines.push(t('The circuit is over: {names} won it.', { names: listed(names) }))
  }
  return lines.join(' ')
}
