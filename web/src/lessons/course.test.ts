import { expect, test, vi } from 'vitest'
import type { TaughtLesson } from '../protocol/shown'
import { Course } from './course.svelte'

const CHANGE = { type: 'extras_change' as const, fields: {}, zones: [], order: [], move: '' }

const LESSON: TaughtLesson = {
  id: 'first',
  title: 'First',
  names: ['Player', 'Pip'],
  scene: { viewer: 0, seats: [{ seat: 0 }], zones: [], prompt: 'Wait.' },
  steps: [
    { text: 'You play against {1}.' },
    {
      text: 'Draw.',
      changes: [{ ...CHANGE, fields: { choices: [{ action: 'draw' }, { action: 'call' }] } }],
      expected: { action: 'draw', fields: {} },
      otherwise: 'Not yet, {0}.',
    },
    {
      text: 'Done.',
      changes: [
        { ...CHANGE, fields: { prompt: 'One.', choices: [] }, move: '{0} draws.' },
        { ...CHANGE, fields: { prompt: 'Two.' }, move: '{1} draws.' },
        { ...CHANGE, fields: { prompt: 'Three.' } },
      ],
    },
  ],
}

test('what is expected leads on, one thing after the other', () => {
  vi.useFakeTimers()
  const course = new Course(LESSON, 'Ada')
  expect(course.text).toBe('You play against Pip.')
  course.forward()
  course.desk.act?.('draw', {})
  expect(course.text).toBe('Done.')
  expect(course.desk.scene?.prompt).toBe('One.')
  vi.runAllTimers()
  expect(course.desk.scene?.prompt).toBe('Three.')
  expect(course.last).toBe(true)
  course.forward()
  expect(course.at).toBe(2)
  vi.useRealTimers()
})

test('something else is answered, and changes nothing', () => {
  const course = new Course(LESSON, 'Ada')
  course.forward()
  const { scene } = course.desk
  course.desk.pick(['t1'])
  course.desk.act?.('call', {})
  expect(course.desk.picked).toEqual([])
  expect(course.wrong).toBe('Not yet, Ada.')
  expect(course.at).toBe(1)
  expect(course.desk.scene).toBe(scene)
  course.desk.act?.('draw', {})
  expect(course.wrong).toBe('')
})

test('one can go back to any sentence, and sees what was seen there', () => {
  const course = new Course(LESSON, 'Ada')
  course.go(2)
  expect(course.desk.scene?.prompt).toBe('Three.')
  course.go(1)
  expect(course.desk.scene?.prompt).toBe('Wait.')
  expect(course.desk.scene?.choices).toHaveLength(2)
  course.go(-1)
  expect(course.at).toBe(0)
  expect(course.desk.scene?.choices).toBeUndefined()
})

test('what was left behind is not shown later', () => {
  vi.useFakeTimers()
  const course = new Course(LESSON, 'Ada')
  course.go(1)
  course.forward()
  course.go(0)
  vi.runAllTimers()
  expect(course.desk.scene?.prompt).toBe('Wait.')
  vi.useRealTimers()
})
