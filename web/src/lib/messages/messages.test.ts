import { parse } from 'svelte/compiler'
import { expect, it } from 'vitest'

type Files<T> = Record<string, T>
/** By paths from here: `../../main.ts`, `../api.ts`. */
const texts: Files<string> = import.meta.glob(
  ['../../**/*.{svelte,ts}', '!../../**/*.test.ts', '!../../protocol/*'],
  { query: '?raw', import: 'default', eager: true },
)
const files: Files<Files<string>> = import.meta.glob('./*/*.json', {
  import: 'default',
  eager: true,
})
/** Files of what the server tells; `tests/test_languages.py` checks them. */
const SENTENCES = ['server', 'refusals']

interface Node {
  type?: string
  [field: string]: unknown
}

interface Source {
  /** Messages in calls of `t` and `mark`. */
  messages: string[]
  /** Calls of `t` that run before the messages are loaded. */
  early: string[]
  /** Sources that are loaded together with this one. */
  imports: string[]
  /** Sources that are loaded later, each with files of messages (`withMessages`). */
  later: { source: string; files: string[] }[]
}

const code = Object.entries(texts).map(
  ([path, text]) => [new URL(path, 'file:///lib/messages/').pathname.slice(1), text] as const,
)
const paths = new Set(code.map(([path]) => path))
const sources = new Map(code.map(([path, text]) => [path, read(path, text)]))

function read(path: string, text: string): Source {
  const found: Source = { messages: [], early: [], imports: [], later: [] }
  const component = path.endsWith('.svelte')
  const script = component ? text : `<script lang="ts" module>${text}</script>`
  const tree = parse(script, { modern: true })
  visit(tree as unknown as Node, component, path, found)
  if (component && tree.module) {
    const { early } = found
    const other: Source = { messages: [], early, imports: [], later: [] }
    visit(tree.module as unknown as Node, false, path, other)
  }
  return found
}

/** `inside`: in a function or a component, not in the body of a module. `files`: of messages that are
 *  loaded together with what is imported here. */
function visit(
  node: Node,
  inside: boolean,
  path: string,
  found: Source,
  files: string[] = [],
): void {
  if (node.type === 'CallExpression') {
    const name = (node.callee as Node).name
    const [first, ...others] = node.arguments as Node[]
    if ((name === 't' || name === 'mark') && first) {
      found.messages.push(...literals(first))
      if (name === 't' && !inside) found.early.push(path)
    }
    if (name === 'withMessages') files = others.flatMap(literals)
  }
  if (node.type === 'ImportDeclaration' && node.importKind !== 'type') {
    const source = resolved(String((node.source as Node).value), path)
    if (source) found.imports.push(source)
  }
  if (node.type === 'ImportExpression') {
    const source = resolved(String((node.source as Node).value), path)
    if (source) found.later.push({ source, files })
  }
  const deeper = inside || /Function|MethodDefinition|PropertyDefinition/.test(node.type ?? '')
  for (const child of Object.values(node)) {
    for (const each of Array.isArray(child) ? child : [child]) {
      if (each && typeof each === 'object' && 'type' in each) {
        visit(each as Node, deeper, path, found, files)
      }
    }
  }
}

/** The path of an imported source; undefined: it is not one of ours. */
function resolved(imported: string, path: string): string | undefined {
  const target = new URL(imported, `file:///${path}`).pathname.slice(1)
  return [target, `${target}.ts`, `${target}/index.ts`].find((name) => paths.has(name))
}

/** The texts that an argument may be: a literal, or a choice between some. */
function literals(node: Node): string[] {
  if (node.type === 'Literal') return [String(node.value)]
  if (node.type === 'ConditionalExpression') {
    return [...literals(node.consequent as Node), ...literals(node.alternate as Node)]
  }
  return []
}

const file = (language: string, area: string) => files[`./${language}/${area}.json`]!
const languages = [...new Set(Object.keys(files).map((path) => path.split('/')[1]!))]

const areas = [...new Set(Object.keys(files).map((path) => path.split(/[/.]/)[3]!))].filter(
  (name) => !SENTENCES.includes(name),
)

/** For each source the files of messages that are loaded on every way to it. */
function reached(): Map<string, string[]> {
  const known = new Map([['main.ts', ['page']]])
  const changed = ['main.ts']
  const arrive = (source: string, names: string[]): void => {
    const before = known.get(source)
    const both = before ? before.filter((name) => names.includes(name)) : names
    if (before?.length === both.length) return
    known.set(source, both)
    changed.push(source)
  }
  for (let path = changed.pop(); path; path = changed.pop()) {
    const names = known.get(path)!
    const { imports, later } = sources.get(path)!
    for (const source of imports) arrive(source, names)
    for (const { source, files } of later) arrive(source, [...new Set([...names, ...files])])
  }
  return known
}

it.each(languages)('has every message in the language %s where it is used', (language) => {
  const missing = [...reached()].flatMap(([path, names]) => {
    const known: Files<string> = Object.assign({}, ...names.map((name) => file(language, name)))
    const { messages } = sources.get(path)!
    return messages.filter((message) => !(message in known)).map((each) => `${path}: ${each}`)
  })
  expect(missing).toEqual([])
})

it('finds the way to every source with messages', () => {
  const known = reached()
  const paths = [...sources].flatMap(([path, { messages }]) => (messages.length ? [path] : []))
  expect(paths.filter((path) => !known.has(path))).toEqual([])
})

it.each(languages)('has no message in the language %s that nothing uses', (language) => {
  const used = new Set([...sources.values()].flatMap(({ messages }) => messages))
  const all = areas.flatMap((area) => Object.keys(file(language, area)))
  expect(all.filter((message) => !used.has(message))).toEqual([])
  expect(all.filter((message, at) => all.indexOf(message) !== at)).toEqual([])
})

it.each(languages)('keeps the placeholders and has all forms in the language %s', (language) => {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
  for (const area of areas) {
    for (const [message, text] of Object.entries(file(language, area))) {
      expect(placeholders(text), message).toEqual(placeholders(message))
      const forms = message.includes('|') ? pluralCategories.length : 1
      expect(text.split('|').length, message).toBe(forms)
    }
  }
})

const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort()

it('styles what begins and ends a line, not left and right: not all languages begin at the left', () => {
  const styles: Files<string> = import.meta.glob('../../**/*.{svelte,css}', {
    query: '?raw',
    import: 'default',
    eager: true,
  })
  // What is in the middle may say so.
  const side =
    /^ *(?:left|right|(?:margin|padding|border)-(?:left|right)[\w-]*|float):(?! 50%)|text-align: (?:left|right)/gm
  const found = Object.entries(styles).flatMap(([path, text]) =>
    (text.match(side) ?? []).map((each) => `${path}: ${each.trim()}`),
  )
  expect(Object.keys(styles).length).toBeGreaterThan(100)
  expect(found).toEqual([])
})

it('translates nothing before the messages are loaded', () => {
  expect([...sources.values()].flatMap(({ early }) => early)).toEqual([])
})
