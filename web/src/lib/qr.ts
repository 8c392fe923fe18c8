/**
 * QR codes (ISO/IEC 18004): text as bytes, error correction level M, versions 1 to 10, which hold
 * up to 213 bytes. More than a link needs, and no more code than that.
 */

/** Rows of modules; true is dark. The quiet zone around them is for whoever draws them. */
export type Matrix = boolean[][]

/** By version: error correction bytes in each block, and the data bytes of every block. */
const BLOCKS: [correction: number, data: number[]][] = [
  [10, [16]],
  [16, [28]],
  [26, [44]],
  [18, [32, 32]],
  [24, [43, 43]],
  [16, [27, 27, 27, 27]],
  [18, [31, 31, 31, 31]],
  [22, [38, 38, 39, 39]],
  [22, [36, 36, 36, 37, 37]],
  [26, [43, 43, 43, 43, 44]],
]

/** By version: where the centres of alignment patterns lie, in both directions. */
const ALIGNMENT = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
  [6, 28, 50],
]

const MASKS: ((row: number, column: number) => boolean)[] = [
  (r, c) => (r + c) % 2 === 0,
  (r) => r % 2 === 0,
  (_, c) => c % 3 === 0,
  (r, c) => (r + c) % 3 === 0,
  (r, c) => (Math.floor(r / 2) + Math.floor(c / 3)) % 2 === 0,
  (r, c) => ((r * c) % 2) + ((r * c) % 3) === 0,
  (r, c) => (((r * c) % 2) + ((r * c) % 3)) % 2 === 0,
  (r, c) => (((r + c) % 2) + ((r * c) % 3)) % 2 === 0,
]

/** The code for `text`; `null` where it is too long for version 10. */
export function qrCode(text: string): Matrix | null {
  const bytes = [...new TextEncoder().encode(text)]
  const version =
    BLOCKS.findIndex(([, data], at) => bytes.length <= sum(data) - (at < 9 ? 2 : 3)) + 1
  if (version === 0) return null
  const codewords = interleaved(version, dataBytes(version, bytes))
  const [drawn, reserved] = functionPatterns(version)
  place(drawn, reserved, codewords)
  const masked = MASKS.map((_, mask) => finished(drawn, reserved, version, mask))
  return masked.reduce((best, next) => (penalty(next) < penalty(best) ? next : best))
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0)

// Bytes

function dataBytes(version: number, bytes: number[]): number[] {
  const capacity = sum(BLOCKS[version - 1]![1])
  const bits: number[] = []
  const push = (value: number, length: number): void => {
    for (let at = length - 1; at >= 0; at--) bits.push((value >> at) & 1)
  }
  push(0b0100, 4)
  push(bytes.length, version < 10 ? 8 : 16)
  for (const byte of bytes) push(byte, 8)
  // The mode takes half a byte, so the terminator is the other half.
  push(0, 4)
  const data: number[] = []
  for (let at = 0; at < bits.length; at += 8) {
    data.push(bits.slice(at, at + 8).reduce((byte, bit) => (byte << 1) | bit, 0))
  }
  for (let pad = 0xec; data.length < capacity; pad ^= 0xec ^ 0x11) data.push(pad)
  return data
}

/** Data and their corrections, one byte of each block in turn. */
function interleaved(version: number, data: number[]): number[] {
  const [correction, sizes] = BLOCKS[version - 1]!
  let from = 0
  const blocks = sizes.map((size) => data.slice(from, (from += size)))
  const corrections = blocks.map((block) => remainder(block, correction))
  return [...inTurn(blocks), ...inTurn(corrections)]
}

const inTurn = (lists: number[][]): number[] =>
  Array.from({ length: Math.max(...lists.map((list) => list.length)) }, (_, at) =>
    lists.flatMap((list) => list[at] ?? []),
  ).flat()

// Reed-Solomon codes over the field of 256 elements

const EXP: number[] = []
const LOG: number[] = []
for (let power = 0, value = 1; power < 255; power++) {
  EXP[power] = value
  LOG[value] = power
  value = value << 1
  if (value > 255) value ^= 0x11d
}

const times = (a: number, b: number): number =>
  a === 0 || b === 0 ? 0 : EXP[(LOG[a]! + LOG[b]!) % 255]!

/** What is left of `block` after division by the generator of this degree. */
function remainder(block: number[], degree: number): number[] {
  let generator = [1]
  for (let power = 0; power < degree; power++) {
    generator = [...generator, 0].map(
      (factor, at) => factor ^ times(generator[at - 1] ?? 0, EXP[power]!),
    )
  }
  const rest = [...block, ...Array<number>(degree).fill(0)]
  for (let at = 0; at < block.length; at++) {
    const lead = rest[at]!
    generator.forEach((factor, offset) => (rest[at + offset]! ^= times(factor, lead)))
  }
  return rest.slice(block.length)
}

// Modules

/** The patterns that every code of this version has, and where no data may lie. */
function functionPatterns(version: number): [drawn: Matrix, reserved: Matrix] {
  const size = 17 + 4 * version
  const drawn = square(size)
  const reserved = square(size)
  const set = (row: number, column: number, dark: boolean): void => {
    if (row < 0 || column < 0 || row >= size || column >= size) return
    drawn[row]![column] = dark
    reserved[row]![column] = true
  }
  /** Concentric squares around a centre; `rings` says which distances are dark. */
  const rings = (row: number, column: number, dark: boolean[]): void => {
    const reach = dark.length - 1
    for (let dr = -reach; dr <= reach; dr++) {
      for (let dc = -reach; dc <= reach; dc++) {
        set(row + dr, column + dc, dark[Math.max(Math.abs(dr), Math.abs(dc))]!)
      }
    }
  }
  for (let at = 0; at < size; at++) {
    set(6, at, at % 2 === 0)
    set(at, 6, at % 2 === 0)
  }
  const centres = ALIGNMENT[version - 1]!
  for (const row of centres) {
    for (const column of centres) {
      const corner = [row, column].filter((at) => at === 6 || at === size - 7)
      const inFinder = corner.length === 2 && !(row === size - 7 && column === size - 7)
      if (!inFinder) rings(row, column, [true, false, true])
    }
  }
  for (const [row, column] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const) {
    rings(row, column, [true, true, false, true, false])
  }
  for (const [row, column] of [...formatPlaces(size).flat(), ...versionPlaces(version).flat()]) {
    set(row, column, false)
  }
  set(size - 8, 8, true)
  return [drawn, reserved]
}

const square = (size: number): Matrix =>
  Array.from({ length: size }, () => Array<boolean>(size).fill(false))

/** Up and down in columns of two from the right, around everything that is reserved. */
function place(drawn: Matrix, reserved: Matrix, codewords: number[]): void {
  const size = drawn.length
  let bit = 0
  let upward = true
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5
    for (let step = 0; step < size; step++) {
      const row = upward ? size - 1 - step : step
      for (const column of [right, right - 1]) {
        if (reserved[row]![column]) continue
        const byte = codewords[bit >> 3] ?? 0
        drawn[row]![column] = ((byte >> (7 - (bit & 7))) & 1) === 1
        bit++
      }
    }
    upward = !upward
  }
}

type Place = readonly [row: number, column: number]

/** Both copies of the format's 15 bits, the highest first. */
function formatPlaces(size: number): [Place[], Place[]] {
  const first: Place[] = []
  for (let column = 0; column <= 7; column++) if (column !== 6) first.push([8, column])
  for (let row = 8; row >= 0; row--) if (row !== 6) first.push([row, 8])
  const second: Place[] = []
  for (let row = size - 1; row >= size - 7; row--) second.push([row, 8])
  for (let column = size - 8; column < size; column++) second.push([8, column])
  return [first, second]
}

/** Both copies of the version's 18 bits, the lowest first; only larger codes have them. */
function versionPlaces(version: number): [Place[], Place[]] {
  if (version < 7) return [[], []]
  const size = 17 + 4 * version
  const first: Place[] = []
  for (let at = 0; at < 18; at++) first.push([Math.floor(at / 3), size - 11 + (at % 3)])
  return [first, first.map(([row, column]) => [column, row])]
}

function finished(drawn: Matrix, reserved: Matrix, version: number, mask: number): Matrix {
  const flips = MASKS[mask]!
  const matrix = drawn.map((line, row) =>
    line.map((dark, column) => (reserved[row]![column] ? dark : dark !== flips(row, column))),
  )
  // Level M is 00; the constant keeps the format from being all zeros.
  const format = ((mask << 10) | checkBits(mask, 10, 0x537)) ^ 0x5412
  for (const copy of formatPlaces(matrix.length)) {
    copy.forEach(([row, column], at) => (matrix[row]![column] = ((format >> (14 - at)) & 1) === 1))
  }
  const number = (version << 12) | checkBits(version, 12, 0x1f25)
  for (const copy of versionPlaces(version)) {
    copy.forEach(([row, column], at) => (matrix[row]![column] = ((number >> at) & 1) === 1))
  }
  return matrix
}

/** The remainder of `value` in a BCH code with this many check bits. */
function checkBits(value: number, bits: number, generator: number): number {
  let rest = value << bits
  for (let at = 31; at >= bits; at--) {
    if ((rest >> at) & 1) rest ^= generator << (at - bits)
  }
  return rest
}

/** How hard a code is to read, by the standard's four rules: the lower the better. */
function penalty(matrix: Matrix): number {
  const size = matrix.length
  const columns = matrix.map((_, at) => matrix.map((line) => line[at]!))
  let points = 0
  for (const line of [...matrix, ...columns]) {
    const text = line.map((dark) => (dark ? '1' : '0')).join('')
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) points += run.length - 2
    for (const finder of ['10111010000', '00001011101']) {
      for (let at = text.indexOf(finder); at >= 0; at = text.indexOf(finder, at + 1)) points += 40
    }
  }
  for (let row = 1; row < size; row++) {
    for (let column = 1; column < size; column++) {
      const dark = matrix[row]![column]
      const same = [
        matrix[row - 1]![column],
        matrix[row]![column - 1],
        matrix[row - 1]![column - 1],
      ]
      if (same.every((other) => other === dark)) points += 3
    }
  }
  const share = (100 * matrix.flat().filter(Boolean).length) / size ** 2
  return points + 10 * Math.floor(Math.abs(share - 50) / 5)
}
