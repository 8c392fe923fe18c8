import { describe, expect, it } from 'vitest'
import { isPile } from './layout'
import { back, correction, onward, START, STEPS, type Place } from './tutorial'

/** The tutorial from beginning to end, taking the choice `pick` makes where there is one. */
function walked(pick: (to: string[]) => string): Place[] {
  const places = [START]
  for (;;) {
    const place = places.at(-1)!
    const { to } = STEPS[place.at]!
    const next = onward(place, to ? pick(to) : null)
    if (!next) return places
    places.push(next)
  }
}

describe('the tutorial', () => {
  it('can be walked to its end, whatever the learner chooses', () => {
    for (const pick of [(to: string[]) => to[0]!, (to: string[]) => to.at(-1)!]) {
      const places = walked(pick)
      expect(places).toHaveLength(STEPS.length)
      for (const place of places) expect(place.board.type).toBe('board')
    }
  })

  it('asks only for moves that the rules allow, and looks only at piles', () => {
    for (const place of walked((to) => to[0]!)) {
      const { to = [], look = [] } = STEPS[place.at]!
      for (const pile of to) expect(place.board.valid).toContain(pile)
      for (const pile of look) expect(isPile(pile)).toBe(true)
    }
  })

  it('shows what a move did: the next board is a move further', () => {
    const places = walked((to) => to[0]!)
    places.slice(1).forEach((place, at) => {
      const before = places[at]!
      const sameLesson = before.board.seed === place.board.seed
      const moved = STEPS[before.at]!.to ? 1 : 0
      if (sameLesson) expect(place.board.moves).toBe(before.board.moves + moved)
    })
  })

  it('says where another valid pile could be meant, and is kind about every wrong one', () => {
    for (const place of walked((to) => to[0]!)) {
      const { to, instead } = STEPS[place.at]!
      const others = place.board.valid.filter((pile) => !to?.includes(pile))
      if (to && others.length) expect(instead).toBeTruthy()
      expect(correction(place, 'a4')).toMatch(/\.$|\?$|!$/)
    }
  })

  it('goes back a step, and to the beginning at most', () => {
    const places = walked((to) => to[0]!)
    expect(back(places[5]!)).toEqual(places[4])
    expect(back(START)).toEqual(START)
  })
})
