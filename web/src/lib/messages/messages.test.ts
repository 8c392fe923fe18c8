import { parse } from 'svelte/compiler'
import { expect, it } from 'vitest'

type Files<T> = Record<string, T>
/** By paths from here: `../../main.ts`. */
const texts: Files<string> = import.meta.glob(
  ['../../**/*.{svelte,ts}', '!../../**/*.test.ts', '!../../protocol/*'],
  { query: '?raw', import: 'default', eager: true },
)
const files: Files<Files<string>> = import.meta.glob('./*/*.json', {
  import: 'default',
  eager: true,
})
/** Folders with a file of messages for themselves, in `src` or in `src/games`. */
const OWN = ['admin', 'people', 'cambia', 'mo', 'onu', 'quips', 'rummy']
const SHARED = ['page', 'table']

interface Node {
  type?: string
  [field: string]: unknown
}

interface Source {
  /** Messages in calls of `t` and `mark`. */
  messages: string[]
  /** Calls of `t` that run before the messages are loaded. */
  early: string[]
  /** Files that are loaded together with this one. */
  imports: string[]
}

const sources = new Map(
  Object.entries(texts).map(([path, text]) => [path.replace(/^(\.\.\/)+/, ''), read(path, text)]),
)

function read(path: string, text: string): Source {
  const found: Source = { messages: [], early: [], imports: [] }
  const component = path.endsWith('.svelte')
  const code = component ? text : `<script lang="ts" module>${text}</script>`
  const tree = parse(code, { modern: true })
  visit(tree as unknown as Node, component, path, found)
  if (component && tree.module) {
    visit(tree.module as unknown as Node, false, path, { ...found, messages: [], imports: [] })
  }
  return found
}

/** `inside`: in a function or a component, not in the body of a module. */
function visit(node: Node, inside: boolean, path: string, found: Source): void {
  if (node.type === 'CallExpression') {
    const name = (node.callee as Node).name
    const [message] = node.arguments as Node[]
    if ((name === 't' || name === 'mark') && message) {
      found.messages.push(...literals(message))
      if (name === 't' && !inside) found.early.push(path)
    }
  }
  if (node.type === 'ImportDeclaration' && node.importKind !== 'type') {
    found.imports.push(String((node.source as Node).value))
  }
  const deeper = inside || /Function|MethodDefinition|PropertyDefinition/.test(node.type ?? '')
  for (const child of Object.values(node)) {
    for (const each of Array.isArray(child) ? child : [child]) {
      if (each && typeof each === 'object' && 'type' in each) {
        visit(each as Node, deeper, path, found)
      }
    }
  }
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

/** The files that the page loads before it shows anything. */
function first(path = 'main.ts', seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const each of sources.get(path)?.imports ?? []) {
    const target = new URL(each, `file:///${path}`).pathname.slice(1)
    const names = [target, `${target}.ts`, `${target}/index.ts`]
    const next = names.find((name) => sources.has(name))
    if (next) first(next, seen)
  }
  return seen
}

/** The files of messages that are loaded where a source is used. */
function areas(path: string, atFirst: Set<string>): string[] {
  if (atFirst.has(path)) return ['page']
  const folder = /^(?:games\/)?(\w+)\//.exec(path)?.[1]
  return folder && OWN.includes(folder) ? [...SHARED, folder] : SHARED
}

it.each(languages)('has every message in the language %s where it is used', (language) => {
  const atFirst = first()
  const missing = [...sources].flatMap(([path, { messages }]) => {
    const known: Files<string> = Object.assign(
      {},
      ...areas(path, atFirst).map((area) => file(language, area)),
    )
    return messages.filter((message) => !(message in known)).map((each) => `${path}: ${each}`)
  })
  expect(missing).toEqual([])
})

it.each(languages)('has no message in the language %s that nothing uses', (language) => {
  const used = new Set([...sources.values()].flatMap(({ messages }) => messages))
  const all = [...SHARED, ...OWN].flatMap((area) => Object.keys(file(language, area)))
  expect(all.filter((message) => !used.has(message))).toEqual([])
  expect(all.filter((message, at) => all.indexOf(message) !== at)).toEqual([])
})

it.each(languages)('keeps the placeholders and has all forms in the language %s', (language) => {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
  for (const area of [...SHARED, ...OWN]) {
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
