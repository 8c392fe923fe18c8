/** Single keys that do what a button does; the visitor can turn them off. */
import { preferences } from './preferences.svelte'

export type Keys = Record<string, () => void>

/** What this key does at the table. Nothing in a field or a dialog, nor together with Ctrl, Alt or
 *  Meta: those belong to the browser. */
export function shortcutAction(event: KeyboardEvent, keys: Keys): (() => void) | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined
  if ((event.target as Element).closest('input, select, textarea, dialog')) return undefined
  if (!preferences.shortcuts && event.key !== 'Escape') return undefined
  return keys[event.key.length === 1 ? event.key.toLowerCase() : event.key]
}

/** For `aria-keyshortcuts`: the key, as long as it works. */
export const ariaShortcut = (key: string): string | undefined =>
  preferences.shortcuts ? key : undefined
