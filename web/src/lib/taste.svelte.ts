/** How this visitor likes the room: kept in this browser, nobody else's business. */

export interface Taste {
  theme: 'system' | 'light' | 'dark'
  fourColours: boolean
  motion: boolean
  shortcuts: boolean
}

const KEY = 'parlour.taste'
const USUAL: Taste = { theme: 'system', fourColours: false, motion: true, shortcuts: true }

function remembered(): Taste {
  try {
    return { ...USUAL, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Taste>) }
  } catch {
    return { ...USUAL }
  }
}

export const taste: Taste = $state(remembered())

/** Sets one preference, keeps it, and shows it on the document's root. */
export function prefer<K extends keyof Taste>(key: K, value: Taste[K]): void {
  taste[key] = value
  try {
    localStorage.setItem(KEY, JSON.stringify(taste))
  } catch {
    // A browser without storage still plays; it only forgets.
  }
  dress()
}

/** The stylesheet reads these two attributes (`app.css`). */
export function dress(root: HTMLElement = document.documentElement): void {
  if (taste.theme === 'system') delete root.dataset.theme
  else root.dataset.theme = taste.theme
  root.dataset.deck = taste.fourColours ? 'four' : 'two'
}

/** Whether things may move: the visitor's switch and the system's wish must both allow it. */
export function moving(): boolean {
  return taste.motion && !matchMedia('(prefers-reduced-motion: reduce)').matches
}
