/** How an overlay is asked for in its address: `?size=1.5&theme=light&talk=off`. */

export interface OverlayOptions {
  /** Times the usual size. */
  size: number
  theme: 'light' | 'dark'
  /** Whether speech bubbles are shown. */
  talk: boolean
}

const SMALLEST = 0.4
const LARGEST = 4

export function optionsOf(search: string): OverlayOptions {
  const query = new URLSearchParams(search)
  const size = Number(query.get('size') ?? 1)
  return {
    size: Number.isFinite(size) && size > 0 ? Math.min(LARGEST, Math.max(SMALLEST, size)) : 1,
    theme: query.get('theme') === 'light' ? 'light' : 'dark',
    talk: query.get('talk') !== 'off',
  }
}
