/** Tables over the relay: what is sent and answered over HTTP.
 *
 * Made by `make types` from the server's own; change them there. */

import {
  list,
  nil,
  or,
  string,
  struct,
  type Shape,
} from '../lib/shapes'

/** The channel of a table, and who is in it. */
export interface ChannelInfo {
  channel: string
  /** Each once, however many sessions they have. */
  users: string[]
  /** hosting; probing: asking whether somebody else hosts there; yielded: somebody does. */
  standing: string
  other_host: string | null
}

/** The table that is played in a channel. */
export interface ChannelTable {
  code: string
  /** As it is written; it can be asked for in any case. */
  channel: string
}

/** All users and channels, after it was done. */
export interface Everything {
  users: string[]
  channels: string[]
}

export interface NewSeat {
  user: string
  /** Their name at the table; by default their name on the relay. */
  name?: string
}

/** An order as a server is sent it: a short-lived token. */
export interface SignedOrder {
  order: string
}

export interface Hosting {
  /** Host even if somebody answers that they do. */
  override?: boolean
}

export const ChannelInfo: Shape<ChannelInfo> = struct({
  channel: string,
  users: list(string),
  standing: string,
  other_host: or(string, nil),
})

export const ChannelTable: Shape<ChannelTable> = struct({
  code: string,
  channel: string,
})

export const Everything: Shape<Everything> = struct({
  users: list(string),
  channels: list(string),
})
