import { expect, test } from 'vitest'
import type { Evidence } from '../lib/deals'
import file from '../../../tests/data/match-2.jsonl?raw'
import { checked, type Wrong } from './fairness'

const LINES = file.trim().split('\n')
const HEADER = JSON.parse(LINES[0]!) as Record<string, unknown> & {
  id: string
  commitments: string[]
  secrets: string[]
  nonces: { nonce: string }[]
  head: string
}
const wrong = (lines: readonly string[], evidence?: Evidence): Wrong | null =>
  checked(HEADER.id, lines, evidence).wrong
const withHeader = (changes: object): string[] => [
  JSON.stringify({ ...HEADER, ...changes }),
  ...LINES.slice(1),
]
const EVIDENCE: Evidence = {
  commitment: HEADER.commitments[1]!,
  nonces: [HEADER.nonces[0]!.nonce],
  head: HEADER.head,
}
const isSeal = (number: number): boolean => LINES[number + 1]?.includes('"do":"Seal"') ?? false

test('a log from the server is as it was written', () => {
  const { names, own, old, chosen } = checked(HEADER.id, LINES, EVIDENCE)
  expect(wrong(LINES, EVIDENCE)).toBeNull()
  expect({ names, own, old, chosen }).toEqual({
    names: ['Guest 1', 'Björn'],
    own: true,
    old: false,
    chosen: false,
  })
  expect(checked(HEADER.id, LINES).own).toBeNull()
  expect(checked(HEADER.id, LINES, { ...EVIDENCE, nonces: ['00'] }).own).toBe(false)
})

test('every entry that is changed, missing, added or moved is named', () => {
  for (let number = 0; number < LINES.length - 1; number++) {
    const [before, line, after] = [
      LINES.slice(0, number + 1),
      LINES[number + 1]!,
      LINES.slice(number + 2),
    ]
    const later = line.replace('{"at":', '{"at":1')
    expect(wrong([...before, later, ...after])).toEqual({ what: 'changed', entry: number })
    expect(wrong([...before, ...after])).toEqual({ what: 'missing', entry: number })
    if (isSeal(number)) continue
    expect(wrong([...before, line, line, ...after])).toMatchObject({ what: 'added' })
    if (isSeal(number + 1)) continue
    const swapped = [...before, after[0]!, line, ...after.slice(1)]
    expect(wrong(swapped)).toEqual({ what: 'moved', entry: number })
  }
})

test('another name is found, and a log that is no JSON', () => {
  const at = LINES.findIndex((line) => line.includes('"Rename"'))
  const renamed = LINES.map((line) => line.replace('"name":"Björn"', '"name":"Bjorn"'))
  expect(wrong(renamed)).toEqual({ what: 'changed', entry: at - 1 })
  const broken = LINES.map((line, i) => (i === 4 ? line.slice(1) : line))
  expect(wrong(broken)).toEqual({ what: 'unreadable', entry: 3 })
})

test('another secret, number or end is found', () => {
  expect(wrong(withHeader({ secrets: [HEADER.secrets[0], '00'.repeat(32)] }))?.what).toBe('secret')
  expect(wrong(withHeader({ nonces: [] }))?.what).toBe('seed')
  expect(wrong(withHeader({ head: '00' }))?.what).toBe('head')
  expect(wrong(LINES, { ...EVIDENCE, commitment: '00' })?.what).toBe('told-commitment')
  expect(wrong(LINES, { ...EVIDENCE, head: '00' })?.what).toBe('told-head')
})

test('the log of another match is found', () => {
  expect(checked('another-2', LINES).wrong?.what).toBe('another')
})

test('a table that is older has no chain, unless this browser was told a commitment', () => {
  const older = withHeader({ deals: undefined })
  expect(checked(HEADER.id, older)).toMatchObject({ wrong: null, old: true })
  expect(wrong(older, EVIDENCE)?.what).toBe('told-commitment')
})
