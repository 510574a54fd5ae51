import { keptLook } from '../runs/eval.fixture.ts'
import { outcomeOf, type Preference } from './measured-sample.ts'
import { pairOf } from './pair-of.ts'
import type { KeptLook, LookFailure } from './sample.ts'

const preferences = ['first', 'second', 'tie'] as const
const failures = ['unparseable', 'too_large', 'refused', 'unfinished'] as const
type Seen = Preference | LookFailure | null

const isPreference = (seen: Seen): seen is Preference => preferences.some((each) => each === seen)

function look(isSwapped: boolean, seen: Seen): readonly KeptLook[] {
  if (seen === null) return []
  return [
    isPreference(seen)
      ? keptLook({ isSwapped, preference: seen })
      : keptLook({ isSwapped, preference: null, failure: seen }),
  ]
}
const pair = (plain: Seen, swapped: Seen) => pairOf([...look(false, plain), ...look(true, swapped)], 1)

describe.each(preferences)('%s', (plain) => {
  it.each(preferences)('and %s is judged, the look with the baseline first before the other', (swapped) => {
    const judged = { kind: 'judged', looks: [plain, swapped] }
    expect(pair(plain, swapped)).toEqual(judged)
    expect(pairOf([...look(true, swapped), ...look(false, plain)], 1)).toEqual(judged)
  })

  it.each(failures)('and %s is not judged, in either order', (failure) => {
    const kind = failure === 'unparseable' ? 'unparseable' : 'unjudged'
    expect([pair(plain, failure), pair(failure, plain)]).toEqual([{ kind }, { kind }])
  })

  it('alone is not judged', () => {
    expect([pair(plain, null), pair(null, plain)]).toEqual([{ kind: 'unjudged' }, { kind: 'unjudged' }])
  })
})

it.each<[Seen, Seen, string]>([
  [null, null, 'unjudged'],
  ['unparseable', 'unparseable', 'unparseable'],
  ['unparseable', 'refused', 'unjudged'],
  ['too_large', 'unparseable', 'unjudged'],
  ['refused', 'refused', 'unjudged'],
])('%s and %s is %s', (plain, swapped, kind) => {
  expect(pair(plain, swapped)).toEqual({ kind })
})

it('looks at one candidate alone', () => {
  const looks = [1, 2].flatMap((candidateIndex) =>
    [false, true].map((isSwapped) =>
      keptLook({ candidateIndex, isSwapped, preference: (candidateIndex === 1) === isSwapped ? 'first' : 'second' }),
    ),
  )
  expect([1, 2, 3].map((index) => outcomeOf(pairOf(looks, index)))).toEqual(['win', 'loss', 'error'])
})
