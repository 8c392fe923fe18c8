/**
 * Where the house's addresses begin: nothing on a host of its own, `/parlour` below a path of
 * somebody's host. The server writes it into the page (`<meta name="root">`); no path of the house
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

/** A path of the house as the browser needs it. One that is so already stays. */
export const rooted = (path: string, base: string = root): string =>
  isRooted(path, base) ? path : base + path

/** A path of the browser's as the house has it. */
export const unrooted = (path: string, base: string = root): string =>
  base && isRooted(path, base) ? path.slice(base.length) || '/' : path
