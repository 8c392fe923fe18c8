/** Figures of the server, made from the numbers of `/metrics`. */
import type { Overview } from '../protocol/operator'

export interface Load {
  connections: number
  tables: number
  /** Per second, since the overview before; `null` with the first one. */
  actions: number | null
  /** Part of one processor core, from 0 to 1 and above; `null` with the first overview. */
  processor: number | null
  memory: number | null
  openFiles: number | null
  database: number
  /** Connections that the server closed because of their faults, by reason. */
  cut: [why: string, count: number][]
  /** Messages that were refused, by game and code, the most frequent first. */
  refused: [what: string, count: number][]
}

const MOST_SHOWN = 12

export function loadOf(now: Overview, before: Overview | null): Load {
  const seconds = before ? (now.at - before.at) / 1000 : 0
  const rate = (name: string): number | null =>
    before && seconds > 0 ? Math.max(0, sum(now, name) - sum(before, name)) / seconds : null
  return {
    connections: sum(now, 'parlour_connections'),
    tables: sum(now, 'parlour_tables'),
    actions: rate('parlour_actions_total'),
    processor: rate('process_cpu_seconds_total'),
    memory: one(now, 'process_resident_memory_bytes'),
    openFiles: one(now, 'process_open_fds'),
    database: sum(now, 'parlour_database_bytes'),
    cut: ranked(now, 'parlour_cut_connections_total', ['why']),
    refused: ranked(now, 'parlour_rejected_messages_total', ['game', 'code']),
  }
}

const named = ({ figures }: Overview, name: string) => figures.filter((each) => each.name === name)

const sum = (overview: Overview, name: string): number =>
  named(overview, name).reduce((total, { value }) => total + value, 0)

/** Not every system tells these. */
const one = (overview: Overview, name: string): number | null =>
  named(overview, name)[0]?.value ?? null

const ranked = (overview: Overview, name: string, labels: string[]): [string, number][] =>
  named(overview, name)
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value)
    .slice(0, MOST_SHOWN)
    .map((each) => [labels.map((label) => each.labels?.[label] ?? '').join(' '), each.value])

/** "1.5 MB": thousands, as disks are sold. */
export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, count < 1 ? 0 : Math.floor(Math.log10(count) / 3))
  const value = count / 1000 ** power
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`
}
