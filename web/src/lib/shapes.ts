/**
 * Shapes check that data from the server has the types that `protocol/` declares. Those modules, made
 * by `make types`, build their shapes from the functions below.
 *
 * Additions fit: fields that a struct does not list, and kinds of messages that are not listed.
 */

/** What is wrong with a value and where (".players[2].name is not a string"); '' if it is a `T`. */
export type Shape<T> = ((value: unknown) => string) & { readonly type?: T }

const fine = ''

const plain =
  <T>(type: string): Shape<T> =>
  (value) =>
    typeof value === type ? fine : ` is not a ${type}`

export const string: Shape<string> = plain('string')
export const number: Shape<number> = plain('number')
export const boolean: Shape<boolean> = plain('boolean')
export const nil: Shape<null> = (value) => (value === null ? fine : ' is not null')
/** Any value except `undefined`. */
export const unknown: Shape<unknown> = (value) => (value === undefined ? ' is missing' : fine)

/* @__NO_SIDE_EFFECTS__ */
export function oneOf<T>(...values: unknown[]): Shape<T> {
  return (value) => (values.includes(value) ? fine : ` is not one of ${values.join(', ')}`)
}

/** A field that may be left out. */
/* @__NO_SIDE_EFFECTS__ */
export function maybe<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value) => (value === undefined ? fine : shape(value))
}

/** A value of one of these shapes. If it has none of them, the first one's complaint counts. */
/* @__NO_SIDE_EFFECTS__ */
export function or<T>(...shapes: Shape<unknown>[]): Shape<T> {
  return (value) => {
    let first = fine
    for (const shape of shapes) {
      const wrong = shape(value)
      if (!wrong) return fine
      first ||= wrong
    }
    return first
  }
}

/* @__NO_SIDE_EFFECTS__ */
export function list<T>(shape: Shape<T>): Shape<T[]> {
  return (value) => {
    if (!Array.isArray(value)) return ' is not a list'
    for (let at = 0; at < value.length; at++) {
      const wrong = shape(value[at])
      if (wrong) return `[${at}]${wrong}`
    }
    return fine
  }
}

/* @__NO_SIDE_EFFECTS__ */
export function tuple<T>(...shapes: Shape<unknown>[]): Shape<T> {
  return (value) => {
    if (!Array.isArray(value) || value.length !== shapes.length) {
      return ` is not a list of ${shapes.length}`
    }
    const at = shapes.findIndex((shape, at) => shape(value[at]))
    return at < 0 ? fine : `[${at}]${shapes[at]?.(value[at])}`
  }
}

/* @__NO_SIDE_EFFECTS__ */
export function record<T>(shape: Shape<T>): Shape<Record<string, T>> {
  return (value) => {
    if (!isObject(value)) return ' is not an object'
    for (const name of Object.keys(value)) {
      const wrong = shape(value[name])
      if (wrong) return `.${name}${wrong}`
    }
    return fine
  }
}

/* @__NO_SIDE_EFFECTS__ */
export function struct<T>(fields: Record<string, Shape<unknown>>): Shape<T> {
  const listed = Object.entries(fields)
  return (value) => {
    if (!isObject(value)) return ' is not an object'
    for (const [name, shape] of listed) {
      const wrong = shape(value[name])
      if (wrong) return `.${name}${wrong}`
    }
    return fine
  }
}

/** A message whose field `tag` says of which kind it is. */
/* @__NO_SIDE_EFFECTS__ */
export function messages<T>(tag: string, kinds: Record<string, Shape<unknown>>): Shape<T> {
  const known = new Map(Object.entries(kinds))
  return (value) => {
    if (!isObject(value)) return ' is not an object'
    const kind = value[tag]
    if (typeof kind !== 'string') return `.${tag} is not a string`
    const wrong = known.get(kind)?.(value)
    return wrong ? ` ${kind}${wrong}` : fine
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
