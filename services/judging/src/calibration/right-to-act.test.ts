import { measureJudge } from './measure-judge.ts'
import { neededEValueOf, rightToAct } from './right-to-act.ts'
import { confusionRows } from './rows.fixture.ts'
import { pickedStratum } from './strata.ts'

const measured = (found: number, trials: number) =>
  measureJudge(confusionRows({ tp: found, fn: trials - found, fp: trials - found, tn: found }))

it.each([
  [35, 35, 'trustworthy', 16],
  [50, 50, 'trustworthy', 1],
  [51, 51, 'trustworthy', null],
  [190, 200, 'trustworthy', 111],
  [35, 40, 'borderline', null],
  [49, 50, 'under-measured', 63],
])('of a judge with %i of %i right in each class, %s, needs %j more grades of each', (found, trials, trust, needed) => {
  const measures = measured(found, trials)
  const right = rightToAct(measures)
  expect(measures.trust).toBe(trust)
  expect(right.reason === null).toBe(trust === 'trustworthy' && needed === null)
  expect([right.failGradesNeeded, right.passGradesNeeded]).toEqual([needed, needed])
})

it('has the published e-values', () => {
  expect(rightToAct(measured(35, 35)).eValueTpr).toBeCloseTo(10.847104, 6)
  expect(rightToAct(measured(190, 200)).eValueTnr).toBeCloseTo(10.868527, 6)
})

it('is missing with any picked grade, without a calibration, and after one of an earlier release', () => {
  const rows = confusionRows({ tp: 200, fn: 0, fp: 0, tn: 200 })
  const picked = measureJudge([
    ...rows,
    { human: 'fail', verdict: 'fail', samplingProbability: 1, stratum: pickedStratum },
  ])
  expect([picked.trust, picked.picked, rightToAct(picked).reason]).toEqual([
    'trustworthy',
    1,
    expect.stringMatching(/picked/),
  ])
  const { picked: _, ...older } = measureJudge(rows)
  expect(rightToAct(older).reason).toMatch(/earlier release/)
  expect(rightToAct(null).reason).toMatch(/no calibration/)
  expect(rightToAct(measureJudge(rows)).reason).toBeNull()
})

it('has a reason when a filter chose which grades of a draw count', () => {
  const proven = { ...measured(100, 100), cut: 0 }
  expect(rightToAct(proven).reason).toBeNull()
  expect(rightToAct({ ...proven, cut: 1 }).reason).not.toBeNull()
})

describe('of a copy of judges that were calibrated before', () => {
  it('needs a larger e-value with each, and shows how many grades that takes', () => {
    const proven = measured(51, 51)
    expect(rightToAct({ ...proven, copies: 0 })).toMatchObject({ reason: null, neededEValue: 40 })
    const copy = rightToAct({ ...proven, copies: 1 })
    expect(copy).toMatchObject({ reason: expect.any(String), neededEValue: 80, failGradesNeeded: 8 })
    expect(rightToAct({ ...measured(59, 59), copies: 1 }).reason).toBeNull()
    expect(rightToAct({ ...measured(70, 70), copies: 2 })).toMatchObject({ neededEValue: 240, failGradesNeeded: 1 })
  })

  it('errs at most twice as often as the first, for any number of copies', () => {
    const inverses = Array.from({ length: 10_000 }, (_, copies) => 1 / neededEValueOf(copies))
    expect(inverses.reduce((sum, each) => sum + each, 0)).toBeLessThan(0.05)
  })
})
