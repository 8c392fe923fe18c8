/** ONU's settings as people say them; which there are, the server's schema says. */
import type { SettingWords } from '../../lib/schema'

export const words: SettingWords = {
  deck: { label: 'Deck', values: { compact: '54 cards', classic: '108 cards' } },
  maxDraws: { label: 'Draws in a turn' },
  turnTimeout: { label: 'Seconds for a turn' },
  pace: { label: 'Pace' },
  autoStart: {
    label: 'Start by itself',
    values: {
      0: 'No',
      2: 'With two',
      3: 'With three',
      4: 'With four',
      5: 'With five',
      6: 'With six',
      7: 'With seven',
    },
  },
  autoSeat: { label: 'Seat the whole channel' },
  takeOver: { label: 'Host anyway' },
  openState: { label: 'Open hands' },
  channel: { label: 'Channel' },
}
