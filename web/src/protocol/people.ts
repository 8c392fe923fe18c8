/** People: what is sent and answered over HTTP.
 *
 * Made by `make types` from the server's own; change them there. */

import {
  boolean,
  list,
  nil,
  number,
  or,
  string,
  struct,
  tuple,
  unknown,
  type Shape,
} from '../lib/shapes'

/** Somebody who played a match. */
export interface PlayerOf {
  /** "": they had their data deleted. */
  name: string
  /** 1 is the best; equal places are a draw. */
  place: number
  won: boolean
  bot: boolean
  you: boolean
  points: number | null
}

/** A match that you played. */
export interface MatchOf {
  /** Its id at `/api/replays/{id}`. */
  replay: string
  game: string
  /** When it ended, in milliseconds since the epoch. */
  at: number
  /** How it ended, in the game's own words. */
  how: string
  /** By seat. */
  players: PlayerOf[]
}

/** A page of your matches, the latest first. */
export interface Matches {
  matches: MatchOf[]
  /** There are more: ask again with `?before=` and this. "": this is the last page. */
  next: string
}

/** Matches of one game. */
export interface CountOf {
  game: string
  played: number
  /**
   * Of somebody's own matches, those they won; against an opponent, those in which they came in
   * before them.
   */
  ahead: number
  behind: number
}

/** Somebody you played against. */
export interface RivalOf {
  name: string
  /** When you met last, in milliseconds since the epoch. */
  at: number
  games: CountOf[]
  /** Whether they have a public profile. */
  public: boolean
}

/** Your counts. */
export interface RecordOf {
  games: CountOf[]
  /** The last hundred people you played against, the latest first. */
  rivals: RivalOf[]
}

/** Somebody's rating in one pool. */
export interface RatingOf {
  game: string
  pool: string
  rating: number
  /** How far off the rating may be. */
  rd: number
  peak: number
  games: number
  wins: number
  /** The rating after matches, each with the time in seconds since the epoch. */
  curve: [number, number][]
}

/** A passkey of your account. */
export interface PasskeyOf {
  id: string
  /** In seconds since the epoch. */
  made: number
}

/** Your account. */
export interface AccountOf {
  name: string
  /** Whether you have one; without one you are a guest. */
  account: boolean
  email: string
  /** Whether your profile is shown to everybody. */
  public: boolean
  ratings: RatingOf[]
  passkeys: PasskeyOf[]
}

/** A game night to which you came. */
export interface NightOf {
  code: string
  /** When it is over, in milliseconds since the epoch. */
  until: number
  host: boolean
  vote: string
}

/** Everything that is kept about you, besides the logs of tables. */
export interface Export {
  id: string
  account: AccountOf
  record: RecordOf
  matches: MatchOf[]
  /** There are more matches: ask again with `?before=` and this. */
  next: string
  game_nights: NightOf[]
}

/** Somebody who agreed to be shown. */
export interface PublicProfile {
  name: string
  you: boolean
  games: CountOf[]
  ratings: RatingOf[]
  /** Your matches against them, as you count them. */
  against_you: CountOf[]
}

/** Somebody with an account, in a pool of ratings. */
export interface RankInfo {
  rank: number
  name: string
  rating: number
  /** How far off the rating may be. */
  rd: number
  games: number
  wins: number
  you: boolean
}

/** The best of a pool among those who agreed to be shown, and you. */
export interface Leaderboard {
  pool: string
  leaders: RankInfo[]
}

/** Those of one game. */
export interface Leaderboards {
  game: string
  pools: Leaderboard[]
}

/** To be answered by a browser. */
export interface Challenge {
  /** To be sent back with the answer. */
  ticket: string
  /** For `navigator.credentials`, as `PublicKeyCredential.parse…OptionsFromJSON` reads them. */
  options: unknown
}

export interface Confirmation {
  /** Your own name, to confirm it. */
  name: string
}

export interface Credentials {
  name: string
  password: string
}

export interface Visibility {
  public: boolean
}

/** A browser's answer to a challenge. */
export interface Answered {
  ticket: string
  /** As `PublicKeyCredential.toJSON` gives it. */
  credential: Record<string, unknown>
}

const PlayerOf = struct({
  name: string,
  place: number,
  won: boolean,
  bot: boolean,
  you: boolean,
  points: or(number, nil),
})

const MatchOf = struct({
  replay: string,
  game: string,
  at: number,
  how: string,
  players: list(PlayerOf),
})

export const Matches: Shape<Matches> = struct({
  matches: list(MatchOf),
  next: string,
})

const CountOf = struct({
  game: string,
  played: number,
  ahead: number,
  behind: number,
})

const RivalOf = struct({
  name: string,
  at: number,
  games: list(CountOf),
  public: boolean,
})

export const RecordOf: Shape<RecordOf> = struct({
  games: list(CountOf),
  rivals: list(RivalOf),
})

const RatingOf = struct({
  game: string,
  pool: string,
  rating: number,
  rd: number,
  peak: number,
  games: number,
  wins: number,
  curve: list(tuple(number, number)),
})

const PasskeyOf = struct({
  id: string,
  made: number,
})

export const AccountOf: Shape<AccountOf> = struct({
  name: string,
  account: boolean,
  email: string,
  public: boolean,
  ratings: list(RatingOf),
  passkeys: list(PasskeyOf),
})

const NightOf = struct({
  code: string,
  until: number,
  host: boolean,
  vote: string,
})

export const Export: Shape<Export> = struct({
  id: string,
  account: AccountOf,
  record: RecordOf,
  matches: list(MatchOf),
  next: string,
  game_nights: list(NightOf),
})

export const PublicProfile: Shape<PublicProfile> = struct({
  name: string,
  you: boolean,
  games: list(CountOf),
  ratings: list(RatingOf),
  against_you: list(CountOf),
})

const RankInfo = struct({
  rank: number,
  name: string,
  rating: number,
  rd: number,
  games: number,
  wins: number,
  you: boolean,
})

const Leaderboard = struct({
  pool: string,
  leaders: list(RankInfo),
})

export const Leaderboards: Shape<Leaderboards> = struct({
  game: string,
  pools: list(Leaderboard),
})

export const Challenge: Shape<Challenge> = struct({
  ticket: string,
  options: unknown,
})
