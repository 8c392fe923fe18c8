/**
 * The path below which the server is reached: '' if it has a host of its own, `/parlour` if it shares
 * one. The server writes it into the page (`<meta name="root">`); no path of the house
 * begins with the same word.
 */

/** From what the page says: "/", "/parlour/", or "./" while it is being developed. */
export const rootOf = (said: string | undefined): string =>
  said?.startsWith('/') ? said.replace(/\/$/, '') : ''

export const root: string =
  typeof document === 'undefined'
    ? ''
    : rootOf(document.querySelector<HTMLMetaElement>('meta[name="root"]')?.content)

const isRooted = (path: string, base: string): boolean =>
  path === base || /^[/?]/.test(path.startsWith(base) ? path.slice(base.length) : '')

/** Adds the root to a path, unless it is there already. */
export const rooted = (path: string, base: string = root): string =>
  isRooted(path, base) ? path : base + path

/** Removes the root from a path of the browser. */
export const unrooted = (path: string, base: string = root): string =>
  base && isRooted(path, base) ? path.slice(base.length) || '/' : path
