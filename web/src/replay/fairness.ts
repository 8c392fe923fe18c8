/** Checks the published log of a match (docs/fairness.md) without asking anybody. */
import type { Evidence } from '../lib/deals'
import { hex, joined, sha256, unhex, utf8 } from '../lib/sha256'

interface Header {
  id: string
  number: number
  seed: string
  players: { name: string }[]
  deals?: number
  chosen?: boolean
  head?: string
  secrets?: string[]
  commitments?: string[]
  nonces?: { seat: number; place: number; nonce: string }[]
}

type Plain = Record<string, unknown>

interface Entry {
  at: number
  /** The input as it is in the file. */
  text: string
  input: Plain & {
    do: string
    proof?: { salts?: Record<string, string>; hashes?: Record<string, string> }
  }
}

export type Wrong =
  | { what: 'changed' | 'missing' | 'added' | 'moved' | 'unreadable'; entry: number }
  | { what: 'another' | 'secret' | 'seed' | 'head' | 'told-commitment' | 'told-head' }

export interface Checked {
  wrong: Wrong | null
  /** The table is older than verifiable deals. */
  old: boolean
  /** The settings ask for a certain deal. */
  chosen: boolean
  /** Whose numbers are in the seed. */
  names: string[]
  /** Whether this browser's number is in the seed; `null`: it sent none. */
  own: boolean | null
}

/** The private fields of entries (`table/chain.py`). */
const PRIVATE: Record<string, string[]> = {
  Open: ['seed', 'opener', 'source'],
  Join: ['visitor', 'name', 'address'],
  Seat: ['who', 'name'],
  Queue: ['visitor', 'name', 'address'],
  Unqueue: ['visitor'],
  QueueAway: ['visitor'],
  Invite: ['visitor'],
  Rename: ['name'],
  Say: ['text'],
  Configure: [],
}
/** Bytes of a digest in a seal. */
const MARK = 4

/** Checks the log that a server has sent for a match. */
export function checked(match: string, lines: readonly string[], evidence?: Evidence): Checked {
  const header = JSON.parse(lines[0] ?? '{}') as Header
  const nonces = header.nonces ?? []
  const own = evidence ? nonces.some(({ nonce }) => evidence.nonces.includes(nonce)) : null
  return {
    wrong: header.id === match ? wrongIn(header, lines.slice(1), evidence) : { what: 'another' },
    old: !header.deals,
    chosen: header.chosen ?? false,
    names: nonces.map(({ seat }) => header.players[seat]?.name ?? ''),
    own,
  }
}

function wrongIn(header: Header, lines: readonly string[], evidence?: Evidence): Wrong | null {
  // A table that made no commitments has told this browser none.
  if (!header.deals) return evidence ? { what: 'told-commitment' } : null
  const [secrets, commitments] = [header.secrets ?? [], header.commitments ?? []]
  const broken = brokenAt(lines, header.head ?? '')
  if (broken) return broken
  const committed = secrets.every((secret, i) => hex(sha256(unhex(secret))) === commitments[i])
  if (!committed || secrets.length !== header.number) return { what: 'secret' }
  const given = (header.nonces ?? []).map(({ place, nonce }) => `${place} ${nonce}`)
  const text = ['parlour deal 1', secrets.at(-1), ...given].join('\n')
  const seed = given.length > 0 ? hex(sha256(utf8(text))) : secrets.at(-1)
  if (seed !== header.seed) return { what: 'seed' }
  if (evidence && evidence.commitment !== commitments[header.number - 1]) {
    return { what: 'told-commitment' }
  }
  if (evidence?.head && evidence.head !== header.head) return { what: 'told-head' }
  return null
}

/** Where the chain of a log breaks. */
function brokenAt(lines: readonly string[], ending: string): Wrong | null {
  let head: Uint8Array = new Uint8Array(32)
  let marks: string[] = []
  let last: Entry | null = null
  for (const [number, line] of lines.entries()) {
    let entry: Entry
    try {
      entry = read(line)
    } catch {
      return { what: 'unreadable', entry: number }
    }
    if (entry.input.do === 'Seal') {
      const wrong = sealBroken(entry, number, hex(head), marks)
      if (wrong) return wrong
      if (entry.at !== last?.at) return { what: 'changed', entry: number }
      marks = []
    }
    const digest = sha256(joined(utf8(`${entry.at} `), utf8(hashedText(entry))))
    head = sha256(joined(head, digest))
    marks.push(hex(digest.subarray(0, MARK)))
    last = entry
  }
  if (last?.input.do !== 'Seal') return { what: 'missing', entry: lines.length }
  return last.input.head === ending ? null : { what: 'head' }
}

function sealBroken(seal: Entry, number: number, head: string, found: string[]): Wrong | null {
  const bytes = Uint8Array.from(atob(String(seal.input.marks)), (char) => char.charCodeAt(0))
  const written = hex(bytes).match(/.{8}/g) ?? []
  const first = Number(seal.input.number) - written.length
  if (first > number - found.length) return { what: 'missing', entry: first }
  const same = written.join() === found.join()
  const headSame = seal.input.head === head
  if (same && headSame && seal.input.number === number) return null
  if (same || headSame) return { what: 'changed', entry: number }
  const differs = written.findIndex((mark, i) => mark !== found[i])
  const at = differs < 0 ? written.length : differs
  const entry = number - found.length + at
  if (found.length < written.length) return { what: 'missing', entry }
  if (found.length > written.length) return { what: 'added', entry }
  const moved = found[at] === written[at + 1] && found[at + 1] === written[at]
  return { what: moved ? 'moved' : 'changed', entry }
}

function read(line: string): Entry {
  const { at, input } = JSON.parse(line) as Entry
  return { at, input, text: inputText(line) }
}

/** The text of the input in a line: numbers and order as they are there. */
function inputText(line: string): string {
  const start = line.indexOf('"input":') + '"input":'.length
  let depth = 0
  let quoted = false
  for (let at = start; at < line.length; at++) {
    const char = line[at]
    if (quoted) {
      if (char === '\\') at++
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return line.slice(start, at + 1)
  }
  throw new Error('no input')
}

/** The text that is hashed for an entry: private fields are there as salted hashes. */
function hashedText({ input, text }: Entry): string {
  const fields = PRIVATE[input.do]
  if (!fields) return text
  const { proof, ...plain } = input
  const hashes: Record<string, string> = { ...proof?.hashes }
  for (const field of fields) {
    if (!(field in plain)) continue
    const salt = proof?.salts?.[field] ?? ''
    hashes[field] ??= hex(sha256(utf8(`${salt} ${JSON.stringify(plain[field])}`)))
    delete plain[field]
  }
  const sorted = Object.entries(hashes).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify({ ...plain, hashes: Object.fromEntries(sorted) })
}
