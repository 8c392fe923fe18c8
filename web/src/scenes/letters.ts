/** A key for each label: the first letter of one of its words that is free, else any of its letters,
 *  else a digit. */
export function lettersFor(labels: readonly string[], reserved = ''): string[] {
  const taken = new Set(reserved)
  return labels.map((label) => {
    const words = label.toLowerCase().match(/[a-z]+/g) ?? []
    const wanted = [...words.map((word) => word.charAt(0)), ...words.join(''), ...'123456789']
    const letter = wanted.find((each) => !taken.has(each)) ?? ''
    taken.add(letter)
    return letter
  })
}
