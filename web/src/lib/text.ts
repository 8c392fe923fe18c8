/** Small pieces of English. */

/** "a", "a and b", "a, b and c". */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** "1 card", "-1 point", "0 cards". */
export const counted = (count: number, noun: string): string =>
  `${count} ${Math.abs(count) === 1 ? noun : `${noun}s`}`
