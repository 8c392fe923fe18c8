/** Words for matches and ratings. */
import { moduleOf } from '../games'
import { region, said, t } from '../lib/messages'
import { asWords } from '../lib/schema'
import { visitor } from '../lib/visitor.svelte'
import type { MatchOf } from './api'

export const gameName = (game: string): string => visitor.game(game)?.name ?? game

/** A pool of ratings: that of its game, or one of several, named after the value of a setting. */
export function poolName(game: string, pool: string): string {
  if (pool === game) return gameName(game)
  const settings = Object.values(moduleOf(game)?.words ?? {})
  const words = settings.flatMap(({ values }) => values?.[pool] ?? [])[0]
  return `${gameName(game)}: ${said(words ?? asWords(pool))}`
}

/** How a match ended for whoever looks at it. */
export function resultOf({ players }: MatchOf): string {
  const me = players.find(({ you }) => you)
  if (!me || me.won) return me ? t('Won') : t('Over')
  if (players.length === 1) return t('Not won')
  if (!players.some(({ won }) => won)) return t('Nobody won')
  return t('Place {place} of {count}', { place: me.place, count: players.length })
}

/** Those somebody played with, in words. */
export const others = ({ players }: MatchOf): string[] =>
  players
    .filter(({ you }) => !you)
    .map(({ name, bot }) => (bot ? t('{name} (bot)', { name }) : name || t('somebody')))

export const moment = (at: number): string =>
  new Date(at).toLocaleString(region, { dateStyle: 'medium', timeStyle: 'short' })

export const day = (at: number): string =>
  new Date(at).toLocaleDateString(region, { dateStyle: 'medium' })
