import { describe, expect, it } from 'vitest'
import { othersInTurn } from './players'

const players = ['ann', 'bob', 'cid'].map((id) => ({ id }))
const seen = (me: string | null): string[] => othersInTurn(players, me).map(({ id }) => id)

describe('the others at a table', () => {
  it('follow in turn order from the viewer on', () => {
    expect(['ann', 'bob', 'cid'].map(seen)).toEqual([
      ['bob', 'cid'],
      ['cid', 'ann'],
      ['ann', 'bob'],
    ])
  })

  it('are all of them for a spectator', () => {
    expect(seen(null)).toEqual(['ann', 'bob', 'cid'])
  })
})
