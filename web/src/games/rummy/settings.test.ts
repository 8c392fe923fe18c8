import { expect, test } from 'vitest'
import type { Settings } from '../../protocol/rummy'
import { settingsWarning } from './settings'

const rules = (hand_size: number, limit_meld_size: 3 | 4 | null, require_end_discard = false) =>
  ({ hand_size, limit_meld_size, require_end_discard }) as Settings

/** Whether a hand can be brought to nothing by drawing, melding threes, and discarding. */
function canGoOut(size: number, discardLast: boolean): boolean {
  for (let hand = size; hand > 0; hand -= 3) {
    const held = hand + 1
    if (held % 3 === 1 || (held % 3 === 0 && !discardLast)) return true
  }
  return false
}

test('a warning is given exactly where melds of three leave nobody a way out', () => {
  for (let size = 7; size <= 12; size++) {
    for (const discardLast of [false, true]) {
      const warned = settingsWarning(rules(size, 3, discardLast)) !== ''
      expect([size, discardLast, warned]).toEqual([size, discardLast, !canGoOut(size, discardLast)])
    }
  }
})

test('no other limit is warned about', () => {
  for (let size = 7; size <= 12; size++) {
    expect(settingsWarning(rules(size, 4))).toBe('')
    expect(settingsWarning(rules(size, null, true))).toBe('')
  }
})
