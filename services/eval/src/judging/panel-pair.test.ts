import { lost, tied, unjudged, unparseable, won } from '../report/measured-samples.fixture.ts'
import { type JudgedPair, pairOutcome } from './pair-verdict.ts'
import { combinePanel, isDisputed } from './panel-pair.ts'

describe('a panel', () => {
  it.each<[readonly JudgedPair[], string, boolean]>([
    [[won, won, lost], 'win', true],
    [[won, won, won], 'win', false],
    [[lost, tied, lost], 'loss', true],
    [[won, tied, lost], 'tie', true],
    [[won, lost], 'tie', true],
    [[won, tied], 'tie', true],
    [[won, won], 'win', false],
    [[won, unjudged, won], 'win', false],
    [[won, unjudged, lost], 'tie', true],
    [[won, unjudged], 'error', false],
    [[won, unparseable, unparseable], 'error', false],
  ])('%j decides %s', (pairs, outcome, disputed) => {
    expect([pairOutcome(combinePanel(pairs)), isDisputed(pairs)]).toEqual([outcome, disputed])
  })

  it('of one judge is that judge, and keeps the verdicts of each judge', () => {
    expect(combinePanel([won])).toBe(won)
    expect(combinePanel([won, tied])).toMatchObject({
      ofJudges: [
        ['second', 'first'],
        ['tie', 'tie'],
      ],
    })
  })

  it('is unparseable only when no judge failed otherwise', () => {
    expect(combinePanel([unparseable, unparseable])).toEqual({ kind: 'unparseable' })
    expect(combinePanel([unparseable, unjudged])).toEqual({ kind: 'unjudged' })
  })
})
