import { expect, test } from 'vitest'
import { hex, joined, sha256, unhex, utf8 } from './sha256'

const theirs = async (data: Uint8Array<ArrayBuffer>): Promise<string> =>
  hex(new Uint8Array(await crypto.subtle.digest('SHA-256', data)))

test('hashes are those of others, for every length around a block', async () => {
  for (let size = 0; size < 200; size++) {
    const data = Uint8Array.from({ length: size }, (_, i) => (i * 37 + size) & 255)
    expect(hex(sha256(data))).toBe(await theirs(data))
  }
  expect(hex(sha256(utf8('')))).toMatch(/^e3b0c44298fc1c149afbf4c8996fb924/)
})

test('bytes and hex digits are the same', () => {
  expect(unhex('00ff7a')).toEqual(new Uint8Array([0, 255, 122]))
  expect(hex(joined(new Uint8Array([1]), new Uint8Array([255, 16])))).toBe('01ff10')
})
