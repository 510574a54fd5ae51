import type { SetupStatus } from '@ratchet/contracts/setup-status'
import { loopSteps, stepTakesText, untilJudgeActs } from './loop-steps.ts'

const status: SetupStatus = {
  workspace: { slug: 'demo', name: 'Demo' },
  logging: { enabled: true, retention_days: 30 },
  traffic: { logged_conversations: 41_000 },
  grades: { total: 12, needed_to_calibrate: 40 },
  judges: {
    total: 3,
    calibrated: 1,
    trustworthy: 1,
    can_act: 0,
    fail_grades_needed: 12,
    act_fail_grades_needed: 20,
    act_pass_grades_needed: 0,
    cannot_act_reason: 'its grades do not prove it yet',
  },
  next: { action: 'grade_fails', detail: '', takes: null },
}
const states = (changed: Partial<SetupStatus>, aliases: number | null = 0, evals: number | null = 0) =>
  loopSteps({ status: { ...status, ...changed }, aliases, evals }).map(({ state }) => state)

it('shows how far each step of the loop is', () => {
  expect(states({})).toEqual(['proven', 'open', 'open', 'none', 'none'])
  expect(states({ next: { action: 'none', detail: '', takes: null } }, 2, 1)).toEqual([
    'proven',
    'open',
    'open',
    'proven',
    'proven',
  ])
})

it('counts evals also when an earlier step is to be done again', () => {
  const values = (evals: number | null) => loopSteps({ status, aliases: 0, evals })[3]?.value
  expect([null, 0, 3].map(values)).toEqual(['…', 'none done', '3 done'])
})

it('says of judges which ones may act, since only these prove something to gates and evidence', () => {
  const judges = (can_act: number) => ({ judges: { ...status.judges, can_act } })
  expect(states(judges(0))[2]).toBe('open')
  expect(states(judges(1))[2]).toBe('proven')
})

it('says what it takes until a judge may act', () => {
  const of = (judges: Partial<SetupStatus['judges']>) =>
    untilJudgeActs({ ...status, judges: { ...status.judges, ...judges } })
  expect(of({})).toMatch(/do not prove it yet\..* 20 failing and 0 passing/)
  expect(of({ act_fail_grades_needed: null })).toMatch(/do not prove it yet\.$/)
  expect(of({ can_act: 1, cannot_act_reason: null })).toBeNull()
  expect(of({ total: 0, cannot_act_reason: null })).toBeNull()
})

it('says what the next step takes', () => {
  const of = (takes: Partial<NonNullable<SetupStatus['next']['takes']>>) => {
    const all = { samples: 60, grades: 40, days: 0, cost_usd: 0.12, minutes: 10, ...takes }
    return stepTakesText({ ...status, next: { ...status.next, takes: all } })
  }
  expect(of({})).toBe('It takes about 40 grades, 10 minutes of grading, $0.12.')
  expect(of({ days: 0.5 })).toMatch(/in 12 hours\.$/)
  expect(of({ days: 2.5 })).toMatch(/in 3 days\.$/)
  expect(of({ grades: 0, minutes: 0, cost_usd: null })).toBe('It takes about 60 answers.')
  expect(of({ samples: null, grades: null, minutes: null, cost_usd: null, days: null })).toBeNull()
  expect(stepTakesText(status)).toBeNull()
})

it('begins with nothing', () => {
  const empty = {
    logging: { enabled: false, retention_days: 30 },
    traffic: { logged_conversations: null },
    grades: { total: 0, needed_to_calibrate: 40 },
    judges: {
      ...status.judges,
      total: 0,
      calibrated: 0,
      trustworthy: 0,
      fail_grades_needed: 0,
      act_fail_grades_needed: null,
      act_pass_grades_needed: null,
      cannot_act_reason: null,
    },
  }
  expect(states(empty, null)).toEqual(['none', 'none', 'none', 'none', 'none'])
})
