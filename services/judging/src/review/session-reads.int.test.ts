import { randomUUID } from 'node:crypto'
import type { Identity } from '@ratchet/contracts/identity'
import { publicId } from '@ratchet/contracts/public-id'
import { type ReviewApp, secret, startReviewApp } from './review-app.fixture.ts'
import { answers, type ReviewSteps, reviewSteps } from './review-steps.fixture.ts'

let app: ReviewApp
let steps: ReviewSteps
let owner: Identity
let ann: Identity
let bob: Identity
let workspaceId: string
beforeAll(async () => {
  app = await startReviewApp()
})
afterAll(() => app.stop())
beforeEach(() => {
  steps = reviewSteps(app)
  ;({ workspaceId, owner, ann, bob } = steps)
})

it('lets people grade what they picked, and read which exchanges of a table have grades', async () => {
  const judge = await app.addJudge(owner)
  const logs = app.log.add(workspaceId, answers(3)).map((logId) => publicId('log', logId))
  const [first, second] = logs
  const sent = { unit: 'request', log_id: first, criterion_id: judge, label: 'fail', rationale: `has ${secret}` }
  const graded = await app.send(ann, 'post', '/session/labels', sent)
  expect(graded.status).toBe(201)
  expect(graded.body).toMatchObject({ grader_id: ann.userId, sampling: { method: 'picked', probability: null } })
  expect(graded.body.rationale).toBe('has [redacted]')
  await app.send(bob, 'post', '/session/labels', { ...sent, label: 'pass' })
  await app.send(bob, 'post', '/session/labels', { unit: 'request', log_id: second, label: 'pass' })
  const marks = await app.send(ann, 'post', '/session/labels/marks', { log_ids: logs })
  expect(
    marks.body.data.toSorted((one: { passes: number }, other: { passes: number }) => one.passes - other.passes),
  ).toEqual(
    expect.arrayContaining([
      { log_id: first, fails: 1, passes: 1, mine: 'fail' },
      { log_id: second, fails: 0, passes: 1, mine: null },
    ]),
  )
  const many = await app.send(ann, 'post', '/session/labels/marks', {
    log_ids: Array.from({ length: 201 }, () => first),
  })
  expect(many.status).toBe(400)
})

it('writes who changed which judge, with the change, and never changes what it wrote', async () => {
  const judge = await app.addJudge(owner)
  const key = { workspaceId, userId: randomUUID(), role: 'admin', keyId: randomUUID() } as const
  await app.send(key, 'patch', `/v1/criteria/${judge}`, { judge_prompt: 'It fails when rude.', online_cap_usd: 3 })
  await app.send(key, 'patch', `/v1/criteria/${judge}`, { judge_prompt: 'It fails when rude.' })
  await app.send(owner, 'delete', `/v1/criteria/${judge}`)
  const { body } = await app.send(owner, 'get', `/session/judging/audit?criterion_id=${judge}`)
  expect(body.data.map(({ kind }: { kind: string }) => kind)).toEqual(['delete', 'update', 'create'])
  expect(body.data[1]).toMatchObject({
    actor: { user_id: key.userId, key_id: key.keyId, session_id: null },
    request_id: 'r1',
    before: { judge_prompt: 'It fails when wrong.', online_cap_usd: 0 },
    after: { judge_prompt: 'It fails when rude.', online_cap_usd: 3 },
  })
  expect(body.data[0]).toMatchObject({ actor: { user_id: owner.userId, session_id: owner.session?.id }, after: null })
  for (const change of ["UPDATE criterion_event SET kind = 'create'", 'DELETE FROM criterion_event']) {
    await expect(app.operator.query(change)).rejects.toThrow('only ever added')
  }
  await app.operator.query("CREATE TRIGGER cut BEFORE INSERT ON criterion_event EXECUTE FUNCTION refuse_change('cut')")
  const other = { name: 'Other', judge_prompt: 'It fails.', judge_model: 'sim/judge' }
  expect((await app.send(owner, 'post', '/v1/criteria', other)).status).toBe(500)
  await app.operator.query('DROP TRIGGER cut ON criterion_event')
  expect((await app.send(owner, 'get', '/v1/criteria')).body.total).toBe(0)
})
