import { fleetIdentity } from '@ratchet/contracts/identity'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { createGradeRollout, isRolloutGrade } from './grade-rollout.ts'

const rolloutId = 'roll_00000000000070008000000000000001'

/** A training service that answers so, and notes what it was sent. */
function gradingWith(answer: () => unknown) {
  const sent: unknown[] = []
  const call = async (_endpoint: unknown, { body }: { readonly body: unknown }) => {
    sent.push(body)
    return answer()
  }
  return { sent, grade: createGradeRollout({ call } as never) }
}

it('sends a grade to training, by the user of the key unless it names a grader', async () => {
  const label = { object: 'label', source: 'audit' }
  const { sent, grade } = gradingWith(() => ({ label, superseded: false }))
  expect(await grade(fleetIdentity, { rollout_id: rolloutId, verdict: 'fail' })).toEqual({ label, superseded: false })
  await grade(fleetIdentity, { rollout_id: rolloutId, label: 'pass', grader: 'ann', rationale: 'Fine.' })
  expect(sent).toEqual([
    { rollout_id: rolloutId, verdict: 'fail', rationale: null, grader: fleetIdentity.userId },
    { rollout_id: rolloutId, verdict: 'pass', rationale: 'Fine.', grader: 'ann' },
  ])
})

it.each([
  [404, 'not_found'],
  [503, 'service_unavailable'],
])('answers %s of training with %s', async (status, code) => {
  const { grade } = gradingWith(() => {
    throw new FleetCallError('no', { status })
  })
  await expect(grade(fleetIdentity, { rollout_id: rolloutId, label: 'pass' })).rejects.toMatchObject({ code })
})

it('refuses fields of logged exchanges, and a grade without a verdict', async () => {
  const { grade, sent } = gradingWith(() => null)
  for (const more of [{ label: 'pass', log_id: 'log_1' }, { label: 'pass', criterion_id: 'crit_1' }, {}]) {
    await expect(grade(fleetIdentity, { rollout_id: rolloutId, ...more })).rejects.toMatchObject({ status: 400 })
  }
  expect(sent).toEqual([])
  expect([{ rollout_id: 'x' }, { log_id: 'x' }, null].map(isRolloutGrade)).toEqual([true, false, false])
})
