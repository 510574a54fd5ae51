import type { SetupStatus } from '@ratchet/contracts/setup-status'
import { loopSteps } from './loop-steps.ts'

const status: SetupStatus = {
  workspace: { slug: 'demo', name: 'Demo' },
  logging: { enabled: true, retention_days: 30 },
  traffic: { logged_conversations: 41_000 },
  grades: { total: 12, needed_to_calibrate: 40 },
  judges: { total: 3, calibrated: 1, trustworthy: 1, fail_grades_needed: 12 },
  next: { action: 'grade_fails', detail: '' },
}
const states = (changed: Partial<SetupStatus>, aliases: number | null = 0) =>
  loopSteps({ status: { ...status, ...changed }, aliases }).map(({ state }) => state)

it('shows how far each step of the loop is', () => {
  expect(states({})).toEqual(['proven', 'open', 'proven', 'none', 'none'])
  expect(states({ next: { action: 'none', detail: '' } }, 2)).toEqual(['proven', 'open', 'proven', 'proven', 'proven'])
})

it('begins with nothing', () => {
  const empty = {
    logging: { enabled: false, retention_days: 30 },
    traffic: { logged_conversations: null },
    grades: { total: 0, needed_to_calibrate: 40 },
    judges: { total: 0, calibrated: 0, trustworthy: 0, fail_grades_needed: 0 },
  }
  expect(states(empty, null)).toEqual(['none', 'none', 'none', 'none', 'none'])
})
