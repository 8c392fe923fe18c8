/** How this visitor wants the page to look and behave: kept in this browser, told to nobody. */
import { readStored, store } from './storage'

export interface Preferences {
  /** A language's tag; '': the browser's. */
  language: string
  theme: 'system' | 'light' | 'dark'
  fourColours: boolean
  /** Cards with more room, and faces with nothing but rank and suit. */
  largeCards: boolean
  /** Buttons and piles lie at the left. */
  leftHanded: boolean
  /** Timers run longer at this visitor's tables. */
  unhurried: boolean
  motion: boolean
  shortcuts: boolean
  sounds: boolean
  /** A notification of the system when it is one's turn and the page is not looked at. */
  notifications: boolean
}

/** `public/theme.js` reads the same entry before the page is drawn. */
const KEY = 'parlour.preferences'
/** The old key: read as long as nothing is stored under the new one. */
const FORMER_KEY = 'parlour.taste'
const DEFAULTS: Preferences = {
  language: '',
  theme: 'system',
  fourColours: false,
  largeCards: false,
  leftHanded: false,
  unhurried: false,
  motion: true,
  shortcuts: true,
  sounds: false,
  notifications: false,
}

function stored(): Preferences {
  const kept = (readStored(KEY) ?? readStored(FORMER_KEY)) as Partial<Preferences> | null
  return { ...DEFAULTS, ...kept }
}

export const preferences: Preferences = $state(stored())

/** Sets one preference, keeps it, and shows it on the document's root. */
export function setPreference<K extends keyof Preferences>(key: K, value: Preferences[K]): void {
  preferences[key] = value
  store(KEY, preferences)
  applyTheme()
}

/** The stylesheets read these attributes. */
export function applyTheme(root: HTMLElement = document.documentElement): void {
  if (preferences.theme === 'system') delete root.dataset.theme
  else root.dataset.theme = preferences.theme
  root.dataset.deck = preferences.fourColours ? 'four' : 'two'
  root.dataset.cards = preferences.largeCards ? 'large' : ''
  root.dataset.hand = preferences.leftHanded ? 'left' : ''
  root.dataset.motion = preferences.motion ? '' : 'off'
}

/** Whether things may move: the visitor's switch and the system's wish must both allow it. */
export function motionAllowed(): boolean {
  return preferences.motion && !matchMedia('(prefers-reduced-motion: reduce)').matches
}
