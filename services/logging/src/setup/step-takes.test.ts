import { nextActions, StepTakes } from '@ratchet/contracts/setup-status'
import { noProgress } from './setup-status.ts'
import { exchangesPerDay, type StepFacts, stepTakes } from './step-takes.ts'

const facts: StepFacts = {
  grades: { total: 20, needed_to_calibrate: 12 },
  judges: { ...noProgress.judges, total: 1, fail_grades_needed: 9 },
  work: { seconds_per_grade: 6, usd_per_verdict: 0.002, drawn_grades: 50, fail_share: 0.1 },
  evalSamples: 140,
  exchanges: 100,
  exchangesPerDay: 20,
}
const waiting = (fails: number | null, passes: number | null): StepFacts => ({
  ...facts,
  judges: { ...facts.judges, act_fail_grades_needed: fails, act_pass_grades_needed: passes, cannot_act_reason: 'x' },
})
const acting: StepFacts = { ...facts, judges: { ...facts.judges, can_act: 1 } }

it('plans grades with their minutes, the calibration that uses them, and the days until the log has enough', () => {
  expect(stepTakes('grade', facts)).toEqual({ samples: 62, grades: 12, days: 0, cost_usd: 0, minutes: 1.2 })
  expect(stepTakes('calibrate', facts)).toMatchObject({ samples: 50, grades: 0, cost_usd: 0.14, minutes: 0 })
  // Nine failing ones are expected among ninety.
  const fails = stepTakes('grade_fails', facts)
  expect(fails).toMatchObject({ grades: 90, samples: 140, days: 2, minutes: 9 })
  expect(fails?.cost_usd).toBeCloseTo(0.32)
})

it('plans the grades until a judge can act with the steps after judging, and none when one can', () => {
  expect(stepTakes('run_eval', waiting(2, 18))).toMatchObject({ samples: 140, grades: 20, days: 2, cost_usd: null })
  expect(stepTakes('create_alias', waiting(0, 18))).toMatchObject({ grades: 20, samples: 70, days: 0 })
  expect(stepTakes('none', waiting(null, null))).toMatchObject({ grades: null, minutes: null })
  expect(stepTakes('none', waiting(0, 0))).toMatchObject({ grades: 0, cost_usd: 0, minutes: 0 })
  expect(stepTakes('run_eval', acting)).toMatchObject({ samples: 140, grades: 0, minutes: 0 })
  expect(stepTakes('none', acting)).toBeNull()
})

it('says null for what is not known', () => {
  const unknown: StepFacts = {
    ...waiting(5, 5),
    work: { ...facts.work, usd_per_verdict: null, drawn_grades: 0, fail_share: null },
    exchanges: null,
  }
  expect(stepTakes('create_alias', unknown)).toMatchObject({ samples: null, grades: null, days: null })
  expect(stepTakes('calibrate', unknown)).toMatchObject({ cost_usd: null })
  expect(stepTakes('grade', { ...facts, exchanges: 0, exchangesPerDay: null })?.days).toBeNull()
})

it('fits the contract for every step', () => {
  for (const action of nextActions) {
    for (const each of [facts, acting, waiting(3, 0), waiting(null, 4)]) {
      const takes = stepTakes(action, each)
      if (takes !== null) expect(StepTakes.parse(takes)).toEqual(takes)
    }
  }
})

it('counts the traffic of a day since the oldest exchange, at least an hour', () => {
  const now = new Date('2026-11-29T12:00:00Z')
  expect(exchangesPerDay({ exchanges: 30, firstAt: new Date('2026-11-26T12:00:00Z') }, now)).toBe(10)
  expect(exchangesPerDay({ exchanges: 1, firstAt: now }, now)).toBeCloseTo(24)
  expect(exchangesPerDay({ exchanges: 0, firstAt: null }, now)).toBeNull()
})
