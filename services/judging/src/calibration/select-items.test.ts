import type { GradeInForce } from './graded-items.ts'
import { type CalibrationRequest, selectItems } from './select-items.ts'

const everything: CalibrationRequest = {
  createdAfter: null,
  graderId: null,
  sampling: 'any',
  maxRows: null,
  includesPicked: false,
}

/** A failing grade of the criterion, given in the minute of its index. */
function grade(index: number, more: Partial<GradeInForce> = {}): GradeInForce {
  return {
    labelId: `label-${String(index).padStart(2, '0')}`,
    itemKey: `item-${index}`,
    verdict: 'fail',
    graderId: `grader-${index}`,
    isOwn: true,
    snapshotId: `snapshot-${index}`,
    sampling: { kind: 'random', frameId: 'f' },
    segment: 'none',
    tag: null,
    createdAt: new Date(Date.UTC(2026, 10, 1, 0, index)),
    ...more,
  }
}

const drawn = { kind: 'frame', frameId: 'f', stratum: 'a', rows: 4, strata: 1 } as const

const summary = (grades: readonly GradeInForce[], request: Partial<CalibrationRequest> = {}) => {
  const { items, ties } = selectItems(grades, { ...everything, ...request })
  return { items: items.map(({ labelId, human }) => `${labelId} ${human}`), ties }
}

describe('the items of a calibration', () => {
  it('have the verdict of the majority, with its newest grade', () => {
    const grades = [
      grade(1, { itemKey: 'a' }),
      grade(2, { itemKey: 'a', verdict: 'pass' }),
      grade(3, { itemKey: 'a', verdict: 'pass' }),
      grade(4, { itemKey: 'b' }),
    ]
    expect(summary(grades)).toEqual({ items: ['label-04 fail', 'label-03 pass'], ties: 0 })
  })

  it('leave out and count ties', () => {
    const grades = [grade(1, { itemKey: 'a' }), grade(2, { itemKey: 'a', verdict: 'pass' }), grade(3)]
    expect(summary(grades)).toEqual({ items: ['label-03 fail'], ties: 1 })
  })

  it('use a grade of the whole exchange only if the item has none for the criterion, filtered or not', () => {
    const grades = [
      grade(1, { itemKey: 'a', verdict: 'pass', isOwn: false, graderId: 'ann' }),
      grade(2, { itemKey: 'a', graderId: 'bob' }),
      grade(3, { itemKey: 'b', verdict: 'pass', isOwn: false, graderId: 'ann' }),
    ]
    expect(summary(grades).items).toEqual(['label-03 pass', 'label-02 fail'])
    expect(summary(grades, { graderId: 'ann' }).items).toEqual(['label-03 pass'])
  })

  it('are those that the filter selects', () => {
    const grades = [grade(1, { graderId: 'ann', sampling: drawn }), grade(2), grade(3, { sampling: drawn })]
    expect(summary(grades, { graderId: 'ann' }).items).toEqual(['label-01 fail'])
    expect(summary(grades, { sampling: 'random' }).items).toEqual(['label-02 fail'])
    expect(summary(grades, { createdAfter: '2026-11-01T01:02:00+01:00' }).items).toEqual(['label-03 fail'])
  })

  it('are the newest when there are more than requested', () => {
    expect(summary([grade(2), grade(3), grade(1)], { maxRows: 2 }).items).toEqual(['label-03 fail', 'label-02 fail'])
  })

  it('leave out and count those that people picked, unless they are requested', () => {
    const grades = [grade(1), grade(2, { sampling: { kind: 'picked' } }), grade(3)]
    expect(summary(grades).items).toEqual(['label-03 fail', 'label-01 fail'])
    expect(selectItems(grades, everything).leftOut).toBe(1)
    const { items, leftOut } = selectItems(grades, { ...everything, includesPicked: true })
    expect([items.map(({ stratum }) => stratum), leftOut]).toEqual([['random', 'picked', 'random'], 0])
  })

  it('are chosen as their newest known grade says, and at random when one of them was', () => {
    const grades = [
      grade(1, { sampling: drawn }),
      grade(2, { itemKey: 'item-1', sampling: { kind: 'picked' } }),
      grade(3),
      grade(4, { itemKey: 'item-3', sampling: drawn }),
    ]
    const { items } = selectItems(grades, everything)
    expect(items.map((item) => [item.samplingProbability, item.stratum])).toEqual([
      [1, 'random'],
      [0.25, 'f/a'],
    ])
  })

  it('do not depend on the order in which grades are read', () => {
    const createdAt = new Date(0)
    const grades = [1, 2, 3, 4, 5].map((index) =>
      grade(index, { createdAt, itemKey: `item-${index % 2}`, verdict: index < 3 ? 'pass' : 'fail' }),
    )
    expect(summary(grades.toReversed())).toEqual(summary(grades))
  })
})
