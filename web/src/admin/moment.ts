import { region } from '../lib/messages'

const format = new Intl.DateTimeFormat(region, { dateStyle: 'short', timeStyle: 'medium' })

/** A time in milliseconds, in the visitor's language and time zone. */
export const moment = (at: number): string => format.format(at)
