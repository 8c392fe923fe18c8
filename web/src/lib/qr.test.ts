import { describe, expect, it } from 'vitest'
import { qrCode, type Matrix } from './qr'

const drawn = (matrix: Matrix | null): string =>
  (matrix ?? []).map((line) => line.map((dark) => (dark ? '#' : '.')).join('')).join('\n')

/** FNV-1a over the modules. */
const fingerprint = (matrix: Matrix): number =>
  matrix.flat().reduce((hash, dark) => Math.imul(hash ^ (dark ? 1 : 2), 16777619) >>> 0, 2166136261)

// Each of these was read by a decoder that is not ours before it was written down here.
const READ: [bytes: number, size: number, fingerprint: number][] = [
  [14, 21, 1070476485],
  [26, 25, 2764031015],
  [42, 29, 3078258972],
  [62, 33, 3882744780],
  [84, 37, 1127670715],
  [106, 41, 618636243],
  [122, 45, 1761457605],
  [152, 49, 3191397571],
  [180, 53, 1810499804],
  [213, 57, 838783403],
]

describe('a QR code', () => {
  it('is drawn as the standard wants it', () => {
    expect(drawn(qrCode('parlour'))).toBe(
      [
        '#######.......#######',
        '#.....#.#.###.#.....#',
        '#.###.#..####.#.###.#',
        '#.###.#..#.##.#.###.#',
        '#.###.#.##..#.#.###.#',
        '#.....#..#..#.#.....#',
        '#######.#.#.#.#######',
        '.........####........',
        '#.#.#.#..#.#....#..#.',
        '.#.###.#..#...##.#.##',
        '.###.###.##.#...#####',
        '###.#..##.....###..#.',
        '...#..#.....#.#.##..#',
        '........#.##.#..##..#',
        '#######..###.####..##',
        '#.....#..#.###......#',
        '#.###.#.#..#.####..##',
        '#.###.#..##...#.#.##.',
        '#.###.#.#...#..##.#.#',
        '#.....#..##...#.#..#.',
        '#######.#...#.##...##',
      ].join('\n'),
    )
  })

  it.each(READ)('of %i bytes fills the version of %i modules', (bytes, size, known) => {
    const text = 'https://parlour.example/'.repeat(20)
    const matrix = qrCode(text.slice(0, bytes))!
    expect([matrix.length, fingerprint(matrix)]).toEqual([size, known])
    // One byte more takes the next version, or none.
    expect(qrCode(text.slice(0, bytes + 1))?.length).toBe(size < 57 ? size + 4 : undefined)
  })

  it('counts bytes, not letters', () => {
    expect(qrCode('ü'.repeat(7))).toHaveLength(21)
    expect(qrCode('ü'.repeat(8))).toHaveLength(25)
  })
})
