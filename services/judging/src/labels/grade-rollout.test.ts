import { fleetIdentity } from '@ratchet/contracts/identity'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { createGradeRollout, gradeRollouts, gradesRollouts } from './grade-rollout.ts'

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
})

it('grades each of a list, whatever becomes of the others', async () => {
  let calls = 0
  const { grade } = gradingWith(() => {
    calls += 1
    if (calls === 2) throw new FleetCallError('no', { status: 404 })
    return { label: { id: `label_${calls}` }, superseded: calls === 3 }
  })
  const item = { rollout_id: rolloutId, label: 'pass' }
  expect(await gradeRollouts(grade, fleetIdentity, { labels: [item, item, item, { rollout_id: rolloutId }] })).toEqual({
    object: 'list',
    data: [{ id: 'label_1' }, { id: 'label_3' }],
    created: 2,
    superseded: 1,
    rejected: [
      { index: 1, code: 'not_found', message: expect.any(String), param: 'rollout_id' },
      { index: 3, code: 'invalid_request', message: expect.any(String), param: expect.anything() },
    ],
  })
  const refused = { labels: [{ rollout_id: rolloutId }] }
  await expect(gradeRollouts(grade, fleetIdentity, refused)).rejects.toMatchObject({ status: 400 })
  const many = { labels: Array.from({ length: 101 }, () => item) }
  await expect(gradeRollouts(grade, fleetIdentity, many)).rejects.toMatchObject({ param: 'labels' })
})

it('knows grades of answers from grades of logged exchanges', () => {
  const bodies = [
    { rollout_id: 'x' },
    { labels: [{ rollout_id: 'x' }] },
    { labels: [{ log_id: 'x' }] },
    { log_id: 'x' },
    null,
  ]
  expect(bodies.map(gradesRollouts)).toEqual([true, true, false, false, false])
})
