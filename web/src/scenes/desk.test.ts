import { describe, expect, test, vi } from 'vitest'
import type { Choice, Scene } from '../protocol/extras'
import { SceneDesk } from './desk.svelte'
import { whyNot } from './whynot'

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

test('a field with one value needs no press', () => {
  const act = vi.fn()
  const desk = new SceneDesk({ act })
  const theirs = { id: 'theirs', label: 'Theirs', look: 'hand' as const, name: 1 }
  const asks = (seats: number[]): Scene => ({
    ...SCENE,
    zones: [HAND, theirs],
    targets: { 'ask.seat': ['theirs'], 'ask.index': ['hand'] },
    choices: [
      {
        action: 'ask',
        fields: { seat: { type: 'one', of: seats }, index: { type: 'one', of: [0, 1] } },
      },
    ],
  })
  desk.take(asks([1, 2]))
  expect(desk.canPress('thing t1')).toBe(false)
  desk.take(asks([1]))
  expect(desk.canPress('zone theirs')).toBe(true)
  desk.press(HAND, HAND.things![0]!)
  expect(act).toHaveBeenLastCalledWith('ask', { seat: 1, index: 0 })
})

test('an action has one button if something it needs is asked for in words', () => {
  const desk = new SceneDesk({ act: vi.fn() })
  const bid = (count: number[], face: number[]): Choice => ({
    action: 'bid',
    fields: { count: { type: 'one', of: count }, face: { type: 'one', of: face } },
  })
  desk.take({ ...SCENE, targets: {}, choices: [bid([2], [6]), bid([3, 4], [2, 3])] })
  expect(desk.commands.all.map(({ key }) => key)).toEqual(['action bid'])
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
    return { act, desk, lit: () => desk.commands.actions.filter((action) => desk.isLit(action)) }
  }

  test('pressing picks them, and those buttons light up that they are enough for', () => {
    const { act, desk, lit } = sitDown()
    expect([desk.commands.actions, lit()]).toEqual([['meld', 'lay', 'discard'], []])
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
    desk.carrying.ids = ['c0']
    expect(['pile', 'meld 0', 'hand'].filter((zone) => desk.carrying.accepts(zone))).toEqual([
      'pile',
    ])
    desk.carrying.drop('pile')
    expect(act).toHaveBeenLastCalledWith('discard', { card: 'c0' })
  })

  test('what does not fit is sent all the same if it is whole: the server says why not', () => {
    const { act, desk } = sitDown()
    desk.pick(['c2'])
    desk.start('discard')
    expect(act).toHaveBeenLastCalledWith('discard', { card: 'c2' })
    desk.pick([])
    expect(whyNot(desk, 'discard')).toBe('Discard: pick one first.')
    desk.take({ ...MELDS, choices: [] })
    expect(whyNot(desk, 'discard')).toBe(MELDS.prompt)
    desk.take({ ...MELDS, choices: [], prompt: '' })
    expect(whyNot(desk, 'discard')).toBe('Not now.')
  })

  test('a range of cards is asked for by its least number, an exact one by itself', () => {
    const { desk } = sitDown()
    const some = (most: number) => ({ type: 'some' as const, of: ['c0', 'c1'], least: 1, most })
    const give = (most: number): Choice => ({ action: 'give', fields: { cards: some(most) } })
    const targets = { 'give.cards': ['hand'] }
    desk.take({ ...MELDS, targets, choices: [give(2)] })
    expect(whyNot(desk, 'give')).toBe('Give: pick 1 or more first.')
    desk.take({ ...MELDS, targets, choices: [give(1)] })
    expect(whyNot(desk, 'give')).toBe('Give: pick 1 first.')
  })

  test('sets are found one after the other', () => {
    const { desk } = sitDown()
    const found = [1, 2, 3].map(() => (desk.finding.another(), [...desk.picked]))
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
  expect(desk.commands.actions).toEqual(['snap'])
  desk.press(desk.scene!.zones[0]!, { id: 't1' })
  expect(act).toHaveBeenLastCalledWith('replace', { card: 't1' })
})

test('a press that could mean both does what is waited for', () => {
  const act = vi.fn()
  const desk = new SceneDesk({ act })
  const card = { type: 'one' as const, of: [0] }
  const snap: Choice = { action: 'snap', fields: { card }, optional: true }
  const scene = { ...SCENE, targets: { 'replace.card': ['hand'], 'snap.card': ['hand'] } }
  desk.take({ ...scene, choices: [snap, { action: 'replace', fields: { card } }] })
  desk.press(HAND, HAND.things![0]!)
  expect(act).toHaveBeenLastCalledWith('replace', { card: 0 })
  desk.take({ ...scene, choices: [snap] })
  desk.press(HAND, HAND.things![0]!)
  expect(act).toHaveBeenLastCalledWith('snap', { card: 0 })
})

test('a card is dropped where its action is done, also if more is asked for then', () => {
  const act = vi.fn()
  const desk = new SceneDesk({ act })
  const pile = { id: 'pile', label: 'Pile', look: 'pile' as const }
  desk.take({
    ...SCENE,
    zones: [...SCENE.zones, pile],
    targets: { ...SCENE.targets, play: ['pile'] },
  })
  desk.carrying.ids = ['t1']
  expect(['pile', 'stock'].filter((zone) => desk.carrying.accepts(zone))).toEqual(['pile'])
  desk.carrying.drop('pile')
  expect(act).not.toHaveBeenCalled()
  desk.choose('hearts')
  expect(act).toHaveBeenLastCalledWith('play', { index: 0, suit: 'hearts' })
})

test('cards are sorted in one order after the other', () => {
  const desk = new SceneDesk({ act: vi.fn() })
  desk.take(MELDS)
  const faces = () => desk.shown(CARDS).map(({ face }) => face)
  expect([faces(), desk.arranging.nextOrder]).toEqual([['7♣', '9♦', '7♥', '7♠'], 'rank'])
  desk.arranging.sort()
  expect([faces(), desk.arranging.nextOrder]).toEqual([['7♣', '7♥', '7♠', '9♦'], 'suit'])
  desk.arranging.sort()
  expect(faces()).toEqual(['7♣', '9♦', '7♥', '7♠'])
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
  const buttons = desk.commands.all.map(({ label, letter }) => [label, letter])
  expect(buttons).toEqual([
    ['Leave it', 'l'],
    ['Swap it', 'i'],
    ['Shout', 's'],
  ])
  desk.press(desk.scene!.zones[0]!, { id: 't2' })
  expect(act).toHaveBeenLastCalledWith('use', { how: 'peek', card: 't2' })
  desk.commands.all[0]!.run()
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
