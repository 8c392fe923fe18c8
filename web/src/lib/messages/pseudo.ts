/** A language for tests: readable English, with accents and about 1.4 times as long. */

const PLAIN = 'AEIOUaeiouyncs'
const ACCENTED = 'ÅÉÎÖÛåéîöûýñçš'

/** Placeholders ({name}) stay as they are. */
export const disguised = (text: string): string =>
  text.replace(/\{[^}]*\}|[^\s{]+/g, (word) =>
    word.startsWith('{')
      ? word
      : word.replace(/[A-Za-z]/g, (letter) => ACCENTED[PLAIN.indexOf(letter)] ?? letter) +
        '~'.repeat(Math.ceil(word.length * 0.4)),
  )
