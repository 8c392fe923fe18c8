/** What this viewer may do now. Hints only: the server decides. */
import type { Game, Player } from './state'
import { playerOf, topOf } from './state'

/** What is asked of this viewer: the turn's step if it is theirs, a card they owe, or nothing. */
export type Asked = 'look' | 'draw' | 'place' | 'choose' | 'decide' | 'owe' | 'wait' | 'over'

export function asked(game: Game, me: string | null): Asked {
  if (game.step === 'look' || game.step === 'over') return game.step
  if (playerOf(game, me)?.owesUntil != null) return 'owe'
  if (me === null || game.current !== me || game.step === 'done') return 'wait'
  return game.step
}

/** Whoever called Cambia, if the rules lock their hand (`lockCallerHand`). */
export const lockedPlayer = (game: Game): string | null =>
  game.rules.lockCallerHand && !game.result ? game.caller : null

/** How many cards the pending ability wants named. */
export const wanted = (game: Game): 1 | 2 =>
  game.ability?.special === 'swap_blind' || game.ability?.special === 'swap_peek' ? 2 : 1

/** The cards that a tap would choose: to replace, to look at, to swap, to hand over. */
export function targets(game: Game, me: string | null): Set<string> {
  const from = (allowed: (player: Player) => boolean): Set<string> =>
    new Set(game.players.filter(allowed).flatMap((player) => player.hand))
  switch (asked(game, me)) {
    case 'place':
    case 'owe':
      return from((player) => player.id === me)
    case 'choose':
      switch (game.ability?.special) {
        case 'peek_self':
          return from((player) => player.id === me)
        case 'peek_other':
          return from((player) => player.id !== me)
        case 'swap_blind':
          return from((player) => player.id !== lockedPlayer(game))
        default:
          return from(() => true)
      }
    default:
      return new Set()
  }
}

/** The cards that may be tried, right or wrong, against the top discard. */
export function snappable(game: Game, me: string | null): Set<string> {
  const locked = lockedPlayer(game)
  const mute = me === null || locked === me || playerOf(game, me)?.owesUntil != null
  if (mute || game.step === 'look' || game.step === 'over' || topOf(game) === null) {
    return new Set()
  }
  return new Set(
    game.players
      .filter((player) =>
        player.id === me ? true : game.rules.allowOpponentSnapping && player.id !== locked,
      )
      .flatMap((player) => player.hand),
  )
}

/** A King has looked at a card that can't be swapped any more: snapped away meanwhile. */
export function lookedGone(game: Game): boolean {
  const hands = new Set(game.players.flatMap((player) => player.hand))
  return game.ability?.looked?.some((card) => !hands.has(card)) ?? false
}
