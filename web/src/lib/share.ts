/** Sharing a link: with the clipboard, or with the phone's own sheet. */

/** Only this machine can open links to it. */
export const isLocal = (host: string): boolean =>
  /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(host)

/** The phone's own sheet; browsers offer it only to pages that come over HTTPS. */
export const canShare = (): boolean => typeof navigator.share === 'function'

/** Opens the phone's own sheet. If the visitor closes it, nothing is shared. */
export async function shareLink(title: string, url: string): Promise<void> {
  await navigator.share({ title, url }).catch(() => {})
}

/**
 * Copies `text`; false if that is impossible. Over plain HTTP browsers can only copy a selection:
 * then `field` is selected, and stays selected.
 */
export async function copyText(text: string, field: HTMLInputElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text, field)
  }
}

function copyBySelection(text: string, field: HTMLInputElement | null): boolean {
  const put = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
  }
  field?.focus({ preventScroll: true })
  field?.select()
  document.addEventListener('copy', put, { once: true })
  try {
    return document.execCommand('copy')
  } finally {
    document.removeEventListener('copy', put)
  }
}
