import { nextActions } from '@ratchet/contracts/setup-status'
import { type LoopProgress, noProgress, setupStatusOf, setupStatusText } from './setup-status.ts'

const settings = { slug: 'acme', name: 'Acme\nInc.', isLogging: true, retentionDays: 30 }
const now = new Date('2026-11-29T12:00:00Z')
const noTraffic = { exchanges: 0, firstAt: null }
const traffic = { exchanges: 9, firstAt: new Date('2026-11-28T12:00:00Z') }
const judge = { ...noProgress.judges, total: 1 }
const graded = { total: 20, needed_to_calibrate: 0 }
const trusted: LoopProgress = { ...noProgress, grades: graded, judges: { ...judge, calibrated: 1, trustworthy: 1 } }

it('names the first missing step, in the order in which each needs the one before', () => {
  const facts = [
    { settings: { ...settings, isLogging: false }, traffic: noTraffic, progress: noProgress },
    { settings, traffic: noTraffic, progress: noProgress },
    { settings, traffic, progress: noProgress },
    {
      settings,
      traffic,
      progress: { ...noProgress, judges: judge, grades: { total: 3, needed_to_calibrate: 17 } },
    },
    { settings, traffic, progress: { ...noProgress, judges: judge, grades: graded } },
    { settings, traffic, progress: { ...trusted, judges: { ...judge, calibrated: 1, fail_grades_needed: 4 } } },
    { settings, traffic, progress: trusted },
    { settings, traffic, progress: { ...trusted, evals: 1 } },
    { settings, traffic, progress: { ...trusted, evals: 1, aliases: 1 } },
  ]
  expect(facts.map((each) => setupStatusOf({ ...each, now }).next.action)).toEqual(nextActions)
})

it('says with the steps after judging that no judge can act yet, and what is missing', () => {
  const thin = {
    act_fail_grades_needed: 16,
    act_pass_grades_needed: 3,
    cannot_act_reason: 'its grades do not prove it',
  }
  const detailOf = (judges: Partial<LoopProgress['judges']>) =>
    setupStatusOf({ settings, traffic, progress: { ...trusted, judges: { ...trusted.judges, ...judges } }, now }).next
  expect(detailOf(thin)).toMatchObject({ action: 'run_eval', detail: expect.stringMatching(/16 .*3 /) })
  expect(detailOf(thin).detail).toContain(thin.cannot_act_reason)
  expect(detailOf({ ...thin, act_fail_grades_needed: null }).detail).not.toMatch(/null/)
  expect(detailOf({ can_act: 1, act_fail_grades_needed: 0, act_pass_grades_needed: 0 }).detail).not.toMatch(/act/)
})

it('does not report an unavailable log as an empty one', () => {
  const status = setupStatusOf({ settings, traffic: null, progress: noProgress, now })
  expect([status.traffic.logged_conversations, status.next.action]).toEqual([null, 'create_judge'])
})

it('writes the JSON as lines, null as an empty text, and every value on one line', () => {
  const status = setupStatusOf({ settings, traffic: null, progress: noProgress, now })
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
next.takes=
`)
})
