import { nextActions } from '@ratchet/contracts/setup-status'
import { type LoopProgress, noProgress, setupStatusOf, setupStatusText } from './setup-status.ts'

const settings = { slug: 'acme', name: 'Acme\nInc.', isLogging: true, retentionDays: 30 }
const judge = { ...noProgress.judges, total: 1 }
const graded = { total: 20, needed_to_calibrate: 0 }
const trusted: LoopProgress = { ...noProgress, grades: graded, judges: { ...judge, calibrated: 1, trustworthy: 1 } }

it('names the first missing step, in the order in which each needs the one before', () => {
  const facts = [
    { settings: { ...settings, isLogging: false }, exchanges: 0, progress: noProgress },
    { settings, exchanges: 0, progress: noProgress },
    { settings, exchanges: 9, progress: noProgress },
    {
      settings,
      exchanges: 9,
      progress: { ...noProgress, judges: judge, grades: { total: 3, needed_to_calibrate: 17 } },
    },
    { settings, exchanges: 9, progress: { ...noProgress, judges: judge, grades: graded } },
    { settings, exchanges: 9, progress: { ...trusted, judges: { ...judge, calibrated: 1, fail_grades_needed: 4 } } },
    { settings, exchanges: 9, progress: trusted },
    { settings, exchanges: 9, progress: { ...trusted, evals: 1 } },
    { settings, exchanges: 9, progress: { ...trusted, evals: 1, aliases: 1 } },
  ]
  expect(facts.map((each) => setupStatusOf(each).next.action)).toEqual(nextActions)
})

it('says with the steps after judging that no judge can act yet, and what is missing', () => {
  const thin = {
    act_fail_grades_needed: 16,
    act_pass_grades_needed: 3,
    cannot_act_reason: 'its grades do not prove it',
  }
  const detailOf = (judges: Partial<LoopProgress['judges']>) =>
    setupStatusOf({ settings, exchanges: 9, progress: { ...trusted, judges: { ...trusted.judges, ...judges } } }).next
  expect(detailOf(thin)).toMatchObject({ action: 'run_eval', detail: expect.stringMatching(/16 .*3 /) })
  expect(detailOf(thin).detail).toContain(thin.cannot_act_reason)
  expect(detailOf({ ...thin, act_fail_grades_needed: null }).detail).not.toMatch(/null/)
  expect(detailOf({ can_act: 1, act_fail_grades_needed: 0, act_pass_grades_needed: 0 }).detail).not.toMatch(/act/)
})

it('does not report an unavailable log as an empty one', () => {
  const status = setupStatusOf({ settings, exchanges: null, progress: noProgress })
  expect([status.traffic.logged_conversations, status.next.action]).toEqual([null, 'create_judge'])
})

it('writes the JSON as lines, null as an empty text, and every value on one line', () => {
  const status = setupStatusOf({ settings, exchanges: null, progress: noProgress })
  expect(setupStatusText(status)).toBe(`workspace.slug=acme
workspace.name=Acme Inc.
logging.enabled=true
logging.retention_days=30
traffic.logged_conversations=
grades.total=0
grades.needed_to_calibrate=0
judges.total=0
judges.calibrated=0
judges.trustworthy=0
judges.can_act=0
judges.fail_grades_needed=0
judges.act_fail_grades_needed=
judges.act_pass_grades_needed=
judges.cannot_act_reason=
next.action=create_judge
next.detail=${status.next.detail}
`)
})
