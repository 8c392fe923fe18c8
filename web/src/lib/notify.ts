/** System notifications for a visitor whose turn it is while they look at another tab. */
import { preferences } from './preferences.svelte'

/** Browsers allow notifications only on pages over HTTPS or from this machine. */
export const notificationsAvailable = (): boolean =>
  typeof Notification !== 'undefined' && isSecureContext

/** Asks for permission; false if the browser or the visitor refuses. */
export async function allowNotifications(): Promise<boolean> {
  if (!notificationsAvailable()) return false
  return (await Notification.requestPermission()) === 'granted'
}

/** Shows a notification, if the visitor wants it and does not look at the page. */
export function notify(title: string, body: string): void {
  if (!preferences.notifications || !document.hidden || !notificationsAvailable()) return
  if (Notification.permission !== 'granted') return
  try {
    // The tag lets the next turn's notification replace this one.
    const shown = new Notification(title, { body, tag: 'parlour-turn' })
    shown.onclick = () => {
      window.focus()
      shown.close()
    }
  } catch {
    // Some phones' browsers have the interface and no notifications.
  }
}
