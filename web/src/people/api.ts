/** Requests about people to the server (docs/protocols/api.md, "People"). */
import { ask } from '../lib/api'
import { t } from '../lib/messages'
import { rooted } from '../lib/root'
import {
  AccountOf,
  Challenge,
  Leaderboards,
  Matches,
  PublicProfile,
  RecordOf,
} from '../protocol/people'
import { unknown } from '../lib/shapes'

export type {
  AccountOf,
  CountOf,
  Leaderboard,
  MatchOf,
  PublicProfile,
  RatingOf,
  RecordOf,
} from '../protocol/people'

const named = (name: string): string => `/api/players/${encodeURIComponent(name)}`

/** The visitor's choice in the browser's own dialog. */
async function chosen(asked: Promise<Credential | null>): Promise<unknown> {
  const credential = await asked.catch(() => null)
  if (!(credential instanceof PublicKeyCredential)) throw new Error(t('No passkey was used.'))
  return credential.toJSON()
}

export const people = {
  matches: (before = '') =>
    ask(Matches, 'GET', `/api/me/matches${before && `?before=${encodeURIComponent(before)}`}`),
  record: () => ask(RecordOf, 'GET', '/api/me/record'),
  account: () => ask(AccountOf, 'GET', '/api/account'),
  register: (name: string, password: string) =>
    ask(AccountOf, 'POST', '/api/account', { name, password }),
  signIn: (name: string, password: string) =>
    ask(AccountOf, 'POST', '/api/session', { name, password }),
  addPasskey: async () => {
    const { ticket, options } = await ask(Challenge, 'POST', '/api/passkeys/challenge')
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      options as PublicKeyCredentialCreationOptionsJSON,
    )
    const credential = await chosen(navigator.credentials.create({ publicKey }))
    return ask(AccountOf, 'POST', '/api/passkeys', { ticket, credential })
  },
  removePasskey: (id: string) =>
    ask(AccountOf, 'DELETE', `/api/passkeys/${encodeURIComponent(id)}`),
  signInByPasskey: async () => {
    const { ticket, options } = await ask(Challenge, 'POST', '/api/session/challenge')
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
      options as PublicKeyCredentialRequestOptionsJSON,
    )
    const credential = await chosen(navigator.credentials.get({ publicKey }))
    return ask(AccountOf, 'POST', '/api/session/passkey', { ticket, credential })
  },
  signOut: () => ask(unknown, 'DELETE', '/api/session'),
  show: (public_: boolean) => ask(AccountOf, 'PUT', '/api/account', { public: public_ }),
  erase: (name: string) => ask(unknown, 'POST', '/api/me/erase', { name }),
  profile: (name: string) => ask(PublicProfile, 'GET', named(name)),
  leaderboards: (game: string) =>
    ask(Leaderboards, 'GET', `/api/leaderboards/${encodeURIComponent(game)}`),
}

export const exportPath = rooted('/api/me/export')
