/** The players other than `me`, in turn order from `me` on; a spectator (`null`) sees everybody. */
export function othersInTurn<P extends { id: string }>(players: P[], me: string | null): P[] {
  const mine = players.findIndex((player) => player.id === me)
  return mine < 0 ? players : [...players.slice(mine + 1), ...players.slice(0, mine)]
}
