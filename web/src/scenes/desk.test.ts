import { describe, expect, test, vi } from 'vitest'
import type { Choice, Scene } from '../protocol/extras'
import { SceneDesk } from './desk.svelte'

const SCENE: Scene = {
  viewer: 0,
  seats: [{ seat: 0 }, { seat: 1 }],
  zones: [
    { id: 'stock', label: 'Stock', look: 'pile', more: 20 },
    { id: 'hand', label: 'Your hand', look: 'hand', things: [{ id: 't1', face: '8♥', name: 0 }] },
  ],
  prompt: 'It is {0}’s turn, then {1}’s.',
  targets: { draw: ['stock'], 'play.index': ['hand'] },
  choices: [
    { action: 'draw' },
    {
      action: 'play',
      fields: { index: { type: 'one', of: [0] }, suit: { type: 'one', of: ['hearts', 'clubs'] } },
    },
  ],
}

const HAND = SCENE.zones[1]!

test('an action goes out as soon as it is complete', () => {
  const act = vi.fn()
  const desk = new SceneDesk({ act })
  desk.take(SCENE)
  desk.pressZone(SCENE.zones[0]!)
  expect(act).toHaveBeenLastCalledWith('draw', {})
  desk.press(HAND, HAND.things![0]!)
  expect(act).toHaveBeenCalledTimes(1)
  desk.choose('clubs')
  expect(act).toHaveBeenLastCalledWith('play', { index: 0, suit: 'clubs' })
})

test('an action has one button if something it needs is asked for in words', () => {
  const desk = new SceneDesk({ act: vi.fn() })
  const bid = (count: number[], face: number[]): Choice => ({
    action: 'bid',
    fields: { count: { type: 'one', of: count }, face: { type: 'one', of: face } },
  })
  desk.take({ ...SCENE, targets: {}, choices: [bid([2], [6]), bid([3, 4], [2, 3])] })
  expect(desk.commands.map(({ key }) => key)).toEqual(['action bid'])
})

test('another scene drops what was begun, the same one keeps it', () => {
  const desk = new SceneDesk({ act: vi.fn() })
  desk.take(SCENE)
  desk.press(HAND, HAND.things![0]!)
  desk.take(SCENE)
  expect(desk.draft?.action).toBe('play')
  desk.take({ ...SCENE, choices: [] })
  expect(desk.draft).toBeNull()
})

test('who only looks can press nothing and is not waited for', () => {
  const desk = new SceneDesk()
  desk.take(SCENE)
  expect(desk.canPress('zone stock')).toBe(false)
  expect(desk.mine).toBe(false)
})

test('texts name the players', () => {
  const desk = new SceneDesk()
  desk.sitters = { 0: { name: 'Ada' } }
  expect(desk.text(SCENE.prompt)).toBe('It is Ada’s turn, then somebody’s.')
})

const MELDS: Scene = {
  viewer: 0,
  seats: [{ seat: 0 }],
  zones: [
    { id: 'pile', label: 'Pile', look: 'pile' },
    { id: 'meld 0', label: 'Meld 1', look: 'spread', name: 0 },
    { id: 'meld 1', label: 'Meld 2', look: 'spread', name: 1 },
    {
      id: 'hand',
      label: 'Your hand',
      look: 'hand',
      seat: 0,
      sortable: true,
      things: ['7♥', '7♠', '7♣', '9♦'].map((face, at) => ({ id: `c${at}`, face })),
    },
  ],
  prompt: 'Lay cards down if you like, then discard one.',
  awaits: [0],
  targets: {
    'meld.cards': ['hand'],
    'lay.cards': ['hand'],
    'lay.meld': ['meld 0', 'meld 1'],
    'discard.card': ['hand'],
    discard: ['pile'],
  },
  choices: [
    {
      action: 'meld',
      fields: {
        cards: { type: 'some', of: ['c0', 'c1', 'c2'], least: 3, most: 3, sets: [[0, 1, 2]] },
      },
    },
    ...[0, 1].map((number) => ({
      action: 'lay',
      fields: {
        cards: { type: 'some' as const, of: ['c3'], least: 1, most: 1, sets: [[0]] },
        meld: { type: 'one' as const, of: [number] },
      },
    })),
    { action: 'discard', fields: { card: { type: 'one', of: ['c0', 'c1', 'c3'] } } },
  ],
}
const CARDS = MELDS.zones[3]!

describe('where things can be used in several ways', () => {
  function sitDown() {
    const act = vi.fn()
    const desk = new SceneDesk({ act })
    desk.take(MELDS)
    return { act, desk, lit: () => desk.actions.filter((action) => desk.isLit(action)) }
  }

  test('pressing picks them, and those buttons light up that they are enough for', () => {
    const { act, desk, lit } = sitDown()
    expect([desk.actions, lit()]).toEqual([['meld', 'lay', 'discard'], []])
    desk.press(CARDS, { id: 'c0' })
    expect(lit()).toEqual(['discard'])
    desk.press(CARDS, { id: 'c2' })
    expect(lit()).toEqual([])
    desk.press(CARDS, { id: 'c1' })
    expect(lit()).toEqual(['meld'])
    desk.start('meld')
    expect(act).toHaveBeenLastCalledWith('meld', { cards: ['c0', 'c1', 'c2'] })
  })

  test('the zone says where, by its name or because the action is done there', () => {
    const { act, desk } = sitDown()
    desk.pick(['c3'])
    desk.pressZone(MELDS.zones[2]!)
    expect(act).toHaveBeenLastCalledWith('lay', { cards: ['c3'], meld: 1 })
    desk.pressZone(MELDS.zones[0]!)
    expect(act).toHaveBeenLastCalledWith('discard', { card: 'c3' })
    desk.start('lay')
    expect(desk.draft?.fields).toEqual({ cards: ['c3'] })
    desk.pressZone(MELDS.zones[1]!)
    expect(act).toHaveBeenLastCalledWith('lay', { cards: ['c3'], meld: 0 })
  })

  test('they can be carried there, and nowhere else', () => {
    const { act, desk } = sitDown()
    desk.carried = ['c0']
    expect(['pile', 'meld 0', 'hand'].filter((zone) => desk.accepts(zone))).toEqual(['pile'])
    desk.drop('pile')
    expect(act).toHaveBeenLastCalledWith('discard', { card: 'c0' })
  })

  test('what does not fit is sent all the same if it is whole: the server says why not', () => {
    const { act, desk } = sitDown()
    desk.pick(['c2'])
    desk.start('discard')
    expect(act).toHaveBeenLastCalledWith('discard', { card: 'c2' })
    desk.pick([])
    expect(desk.whyNot('discard')).toBe('Discard: pick one first.')
    desk.take({ ...MELDS, choices: [] })
    expect(desk.whyNot('discard')).toBe(MELDS.prompt)
  })

  test('sets are found one after the other', () => {
    const { desk } = sitDown()
    const found = [1, 2, 3].map(() => (desk.find(), [...desk.picked]))
    expect(found).toEqual([['c0', 'c1', 'c2'], ['c3'], ['c0', 'c1', 'c2']])
  })

  test('what came since the last turn is marked, and what fits by itself', () => {
    const { desk } = sitDown()
    const things = [...CARDS.things!, { id: 'c9', face: '2♣' }]
    desk.take({ ...MELDS, zones: [...MELDS.zones.slice(0, 3), { ...CARDS, things }] })
    const marks = Object.fromEntries(
      desk.shown(desk.scene!.zones[3]!).map(({ id, marks = [] }) => [id, marks]),
    )
    expect(marks).toEqual({ c0: [], c1: [], c2: [], c3: ['fits'], c9: ['new'] })
    desk.take({ ...desk.scene!, awaits: [], choices: [] })
    expect(desk.shown(desk.scene!.zones[3]!).flatMap(({ marks = [] }) => marks)).toEqual([])
  })
})

test('a plain press does what is waited for, a button what is not', () => {
  const act = vi.fn()
  const desk = new SceneDesk({ act })
  const card = { type: 'one' as const, of: ['t1'] }
  desk.take({
    ...SCENE,
    zones: [{ ...HAND, things: [{ id: 't1' }] }],
    targets: { 'replace.card': ['hand'] },
    choices: [
      { action: 'replace', fields: { card } },
      { action: 'snap', fields: { card }, optional: true },
    ],
  })
  expect(desk.actions).toEqual(['snap'])
  desk.press(desk.scene!.zones[0]!, { id: 't1' })
  expect(act).toHaveBeenLastCalledWith('replace', { card: 't1' })
})

test('what leaves no choice is filled in: a thing is pressed at once, the rest has a button', () => {
  const act = vi.fn()
  const desk = new SceneDesk({ act })
  const use = (of: string, words: string) => ({ type: 'one' as const, of: [of], words: [words] })
  desk.take({
    ...SCENE,
    zones: [{ ...HAND, things: [{ id: 't1' }, { id: 't2' }] }],
    targets: { 'use.card': ['hand'] },
    choices: [
      {
        action: 'use',
        fields: { how: use('peek', 'look'), card: { type: 'one', of: ['t1', 't2'] } },
      },
      { action: 'use', fields: { how: use('skip', 'leave it') } },
      { action: 'use', fields: { how: use('swap', 'swap it'), card: { type: 'one', of: ['t1'] } } },
      { action: 'shout', optional: true },
    ],
  })
  const buttons = desk.commands.map(({ label, letter }) => [label, letter])
  expect(buttons).toEqual([
    ['Leave it', 'l'],
    ['Swap it', 'i'],
    ['Shout', 's'],
  ])
  desk.press(desk.scene!.zones[0]!, { id: 't2' })
  expect(act).toHaveBeenLastCalledWith('use', { how: 'peek', card: 't2' })
  desk.commands[0]!.run()
  expect(act).toHaveBeenLastCalledWith('use', { how: 'skip' })
})

test('what was begun goes on after an event of somebody else, if it is still possible', () => {
  const desk = new SceneDesk({ act: vi.fn() })
  desk.take(SCENE)
  desk.press(HAND, HAND.things![0]!)
  desk.take({ ...SCENE, choices: [] })
  desk.take({ ...SCENE, prompt: 'Go on.' })
  expect(desk.draft?.fields).toEqual({ index: 0 })
  desk.take({ ...SCENE, choices: [{ action: 'draw' }] })
  expect(desk.draft).toBeNull()
})
