/** A table's code from whatever was typed or pasted: "123 456", "123456", a whole link. */
export function codeFrom(text: string): string | null {
  const digits = lastPart(text)
  return /^\d{6}$/.test(digits) ? digits : null
}

/** The code of a game night, six letters, from the same. */
export function eveningFrom(text: string): string | null {
  const letters = lastPart(text).toUpperCase()
  return /^[B-DF-HJ-NP-TV-XZ]{6}$/.test(letters) ? letters : null
}

const lastPart = (text: string): string =>
  text
    .trim()
    .replace(/[?#].*$/, '')
    .split('/')
    .pop()
    ?.replace(/[\s-]/g, '') ?? ''
