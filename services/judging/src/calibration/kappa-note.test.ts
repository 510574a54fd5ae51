import { cohenKappa } from '@ratchet/stats/cohen-kappa'
import { kappaNote } from './kappa-note.ts'

const noteOf = (tp: number, fn: number, fp: number, tn: number) => {
  const confusion = { tp, fn, fp, tn }
  return kappaNote(confusion, cohenKappa(confusion))
}

describe('the note of a kappa', () => {
  it('explains an undefined or low kappa', () => {
    expect(noteOf(0, 0, 0, 0)).toMatch('no rows')
    expect(noteOf(0, 0, 0, 50)).toMatch('undefined')
    expect(noteOf(1, 4, 1, 94)).toMatch('agree on 95 % of the rows')
  })

  it('is null for a kappa that is not misleading', () => {
    expect(noteOf(46, 4, 8, 142)).toBeNull()
    expect(noteOf(20, 5, 10, 15)).toBeNull()
  })
})
