/** A table's code from whatever was typed or pasted: "123 456", "123456", a whole link. */
export function codeFrom(text: string): string | null {
  const digits =
    text
      .trim()
      .replace(/[?#].*$/, '')
      .split('/')
      .pop()
      ?.replace(/[\s-]/g, '') ?? ''
  return /^\d{6}$/.test(digits) ? digits : null
}
