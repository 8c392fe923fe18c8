/**
 * What would probably be accepted: lights up targets and buttons, decides nothing.
 * The server's answer is the only one that counts.
 */
import type { Face, Rank, Settings } from '../../protocol/rummy'

type MeldRules = Pick<
  Settings,
  'ace_rank' | 'allow_run_mixed_suit' | 'allow_set_duplicate_suit' | 'limit_meld_size'
>

const RANKS: Rank[] = ['A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K']

export function rankOf(face: Face, rules: Pick<MeldRules, 'ace_rank'>): number {
  return face.rank === 'A' && rules.ace_rank === 'high' ? 14 : RANKS.indexOf(face.rank) + 1
}

const isJoker = (face: Face): boolean => face.suit === 'joker'

export function isSet(cards: readonly Face[], rules: MeldRules): boolean {
  const naturals = cards.filter((card) => !isJoker(card))
  if (new Set(naturals.map((card) => card.rank)).size > 1) return false
  if (rules.allow_set_duplicate_suit) return true
  return cards.length <= 4 && new Set(naturals.map((card) => card.suit)).size === naturals.length
}

export function isRun(cards: readonly Face[], rules: MeldRules): boolean {
  const naturals = cards.filter((card) => !isJoker(card))
  if (cards.length > 13) return false
  if (!rules.allow_run_mixed_suit && new Set(naturals.map((card) => card.suit)).size > 1)
    return false
  const ranks = naturals.map((card) => rankOf(card, rules))
  if (new Set(ranks).size !== ranks.length) return false
  return ranks.length === 0 || Math.max(...ranks) - Math.min(...ranks) < cards.length
}

export function isMeld(cards: readonly Face[], rules: MeldRules): boolean {
  if (cards.length < 3 || cards.length > (rules.limit_meld_size ?? Infinity)) return false
  return isSet(cards, rules) || isRun(cards, rules)
}

/** The numbers of the melds on which all these cards would fit together. */
export function roomFor(
  cards: readonly Face[],
  melds: readonly (readonly Face[])[],
  rules: MeldRules,
): number[] {
  if (cards.length === 0) return []
  return melds.flatMap((meld, number) => (isMeld([...meld, ...cards], rules) ? [number] : []))
}

/** Melds to be found in a hand, the longest first; as indices into it. */
export function meldsIn(hand: readonly Face[], rules: MeldRules): number[][] {
  const found: number[][] = []
  const jokers = indices(hand, isJoker)
  for (const rank of RANKS) {
    const group = indices(hand, (card) => card.rank === rank)
    add(rules.allow_set_duplicate_suit ? group : onePer(group, (at) => hand[at]!.suit))
  }
  const lanes = rules.allow_run_mixed_suit
    ? [indices(hand, (card) => !isJoker(card))]
    : (['hearts', 'clubs', 'diamonds', 'spades'] as const).map((suit) =>
        indices(hand, (card) => card.suit === suit),
      )
  for (const lane of lanes) {
    const sorted = onePer(lane, (at) => rankOf(hand[at]!, rules)).sort(
      (a, b) => rankOf(hand[a]!, rules) - rankOf(hand[b]!, rules),
    )
    for (let from = 0; from < sorted.length; from++) {
      for (let to = sorted.length; to > from + 1; to--) add(sorted.slice(from, to))
    }
  }
  // A stretch of a longer meld already found says nothing new, with a joker or without.
  const naturals = found.map((meld) => meld.filter((at) => !jokers.includes(at)))
  const whole = found.filter(
    (_, at) =>
      !naturals.some(
        (other) =>
          other.length > naturals[at]!.length &&
          naturals[at]!.every((card) => other.includes(card)),
      ),
  )
  return whole.sort((a, b) => b.length - a.length)

  function add(naturals: number[]): void {
    const most = rules.limit_meld_size ?? Infinity
    const cards = naturals.slice(0, most)
    for (let wild = 0; wild <= jokers.length; wild++) {
      const meld = [...cards, ...jokers.slice(0, wild)]
      if (
        isMeld(
          meld.map((at) => hand[at]!),
          rules,
        )
      ) {
        found.push(meld)
        return
      }
    }
  }
}

function indices(hand: readonly Face[], keep: (card: Face) => boolean): number[] {
  return hand.flatMap((card, at) => (keep(card) ? [at] : []))
}

function onePer<K>(list: number[], keyOf: (at: number) => K): number[] {
  const seen = new Set<K>()
  return list.filter((at) => !seen.has(keyOf(at)) && seen.add(keyOf(at)))
}
