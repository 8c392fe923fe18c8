/** SHA-256. Browsers have their own only at secure addresses (https), and a game night at home often
 *  has none. */

const PRIMES = Array.from({ length: 312 }, (_, n) => n).filter(
  (n) => n > 1 && !Array.from({ length: n }, (_, d) => d).some((d) => d > 1 && n % d === 0),
)
/** The first 32 bits of the fraction of a number. */
const fraction = (x: number): number => ((x - Math.floor(x)) * 2 ** 32) | 0
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
const ROUNDS = PRIMES.slice(0, 64).map((prime) => fraction(Math.cbrt(prime)))

const rotated = (x: number, by: number): number => (x >>> by) | (x << (32 - by))

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

export const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

export const unhex = (text: string): Uint8Array =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16))

export function joined(...parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

export function sha256(data: Uint8Array): Uint8Array {
  const padded = new Uint8Array((((data.length + 8) >> 6) + 1) << 6)
  padded.set(data)
  padded[data.length] = 0x80
  const words = new DataView(padded.buffer)
  words.setUint32(padded.length - 8, Math.floor(data.length / 2 ** 29))
  words.setUint32(padded.length - 4, data.length << 3)
  const state = Int32Array.from(START)
  const w = new Int32Array(64)
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) w[i] = words.getInt32(block + 4 * i)
    for (let i = 16; i < 64; i++) {
      const [a, b] = [w[i - 15]!, w[i - 2]!]
      const s0 = rotated(a, 7) ^ rotated(a, 18) ^ (a >>> 3)
      const s1 = rotated(b, 17) ^ rotated(b, 19) ^ (b >>> 10)
      w[i] = w[i - 16]! + s0 + w[i - 7]! + s1
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [...Eight]
    for (let i = 0; i < 64; i++) {
      const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
      const one = (h + s1 + ((e & f) ^ (~e & g)) + ROUNDS[i]! + w[i]!) | 0
      const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0]
    }
    ;[a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = state[i]! + word))
  }
  const digest = new DataView(new ArrayBuffer(32))
  state.forEach((word, i) => digest.setInt32(4 * i, word))
  return new Uint8Array(digest.buffer)
}

type Eight = [number, number, number, number, number, number, number, number]
