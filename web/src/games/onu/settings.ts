/** ONU's settings as people say them; which there are, the server's schema says. */
import { mark } from '../../lib/messages'
import type { SettingWords } from '../../lib/schema'

export const words: SettingWords = {
  deck: {
    label: mark('Deck##cards'),
    values: { compact: mark('54 cards'), classic: mark('108 cards') },
  },
  maxDraws: { label: mark('Draws in a turn') },
  turnTimeout: { label: mark('Seconds for a turn') },
  pace: { label: mark('Pace') },
  autoStart: {
    label: mark('Start by itself'),
    values: {
      0: mark('No'),
      2: mark('With two'),
      3: mark('With three'),
      4: mark('With four'),
      5: mark('With five'),
      6: mark('With six'),
      7: mark('With seven'),
    },
  },
  autoSeat: { label: mark('Seat the whole channel') },
  takeOver: { label: mark('Host anyway') },
  openState: { label: mark('Open hands') },
  channel: { label: mark('Channel') },
}
