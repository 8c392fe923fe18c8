/** Installing the page as an app, and the screen that is shown while the server can't be reached. */
import { rooted } from './root'

/** What Chromium hands to a page that can be installed; other browsers have a menu for it. */
interface InstallOffer extends Event {
  prompt(): Promise<unknown>
}

class Installing {
  /** Set while the browser offers to install the page. */
  offer: InstallOffer | null = $state.raw(null)

  /** Begins to listen for the offer, and registers `public/sw.js`. */
  start(): void {
    addEventListener('beforeinstallprompt', (event) => {
      // The browser's own bar would cover the table: the preferences have a button instead.
      event.preventDefault()
      this.offer = event as InstallOffer
    })
    addEventListener('appinstalled', () => (this.offer = null))
    // Without HTTPS there are no service workers, and the browser shows its own error instead.
    if ('serviceWorker' in navigator) {
      navigator.serviceWorker.register(rooted('/sw.js'), { scope: rooted('/') }).catch(() => {})
    }
  }

  async install(): Promise<void> {
    const offer = this.offer
    // A browser shows one offer once.
    this.offer = null
    await offer?.prompt()
  }
}

export const installing = new Installing()
