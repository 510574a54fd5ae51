import { pairVerdict } from '../runs/eval.fixture.ts'
import { judgedPairOf, type PairVerdict, type Preference, pairOutcome, type VerdictFailure } from './pair-verdict.ts'

const preferences = ['first', 'second', 'tie'] as const
const failures = ['unparseable', 'too_large', 'refused', 'unfinished'] as const
type Result = Preference | VerdictFailure | null

const isPreference = (result: Result): result is Preference => preferences.some((each) => each === result)

function verdict(isSwapped: boolean, result: Result): readonly PairVerdict[] {
  if (result === null) return []
  return [
    isPreference(result)
      ? pairVerdict({ isSwapped, preference: result })
      : pairVerdict({ isSwapped, preference: null, failure: result }),
  ]
}
const pair = (plain: Result, swapped: Result) => judgedPairOf([...verdict(false, plain), ...verdict(true, swapped)], 1)

describe.each(preferences)('%s', (plain) => {
  it.each(preferences)('and %s is judged, with the verdict that shows the baseline first in front', (swapped) => {
    const judged = { kind: 'judged', preferences: [plain, swapped] }
    expect(pair(plain, swapped)).toEqual(judged)
    expect(judgedPairOf([...verdict(true, swapped), ...verdict(false, plain)], 1)).toEqual(judged)
  })

  it.each(failures)('and %s is not judged, in either order', (failure) => {
    const kind = failure === 'unparseable' ? 'unparseable' : 'unjudged'
    expect([pair(plain, failure), pair(failure, plain)]).toEqual([{ kind }, { kind }])
  })

  it('alone is not judged', () => {
    expect([pair(plain, null), pair(null, plain)]).toEqual([{ kind: 'unjudged' }, { kind: 'unjudged' }])
  })
})

it.each<[Result, Result, string]>([
  [null, null, 'unjudged'],
  ['unparseable', 'unparseable', 'unparseable'],
  ['unparseable', 'refused', 'unjudged'],
  ['too_large', 'unparseable', 'unjudged'],
  ['refused', 'refused', 'unjudged'],
])('%s and %s is %s', (plain, swapped, kind) => {
  expect(pair(plain, swapped)).toEqual({ kind })
})

it('uses only the verdicts on one candidate', () => {
  const verdicts = [1, 2].flatMap((candidateIndex) =>
    [false, true].map((isSwapped) =>
      pairVerdict({ candidateIndex, isSwapped, preference: (candidateIndex === 1) === isSwapped ? 'first' : 'second' }),
    ),
  )
  expect([1, 2, 3].map((index) => pairOutcome(judgedPairOf(verdicts, index)))).toEqual(['win', 'loss', 'error'])
})
