import { randomUUID } from 'node:crypto'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { addGrade } from '../calibration/grades.fixture.ts'
import type { JudgementOutcome, LeasedJudgement } from '../judgements/judgement.ts'
import { createPgJudgements } from '../judgements/pg-judgements.ts'
import { processJudgement } from '../judgements/process-judgement.ts'
import { type Answer, criterionUuid, type JudgingApp, startJudgingApp } from '../judging-app.fixture.ts'
import { judgingWith, passed, plannedFor } from '../runs/judged-work.fixture.ts'

let app: JudgingApp
let id: string
beforeAll(async () => {
  app = await startJudgingApp()
})
afterAll(() => app?.stop())
beforeEach(async () => {
  id = await app.addCriterion({ unit: 'trace' })
})

const steps = () => [publicId('log', randomUUID()), publicId('log', randomUUID())]
const judgements = () => createPgJudgements(app.pool)
const errorOf = ({ status, body }: Answer) => [status, body.error?.code, body.error?.param]

const run = (trace_id: string, more: object = {}) => ({
  trace_id,
  step_ids: steps(),
  segment: 'seg-a',
  tag: 'support',
  canary: true,
  last_at: '2026-11-21T11:00:00.000Z',
  expires_at: '2099-01-01T00:00:00.000Z',
  ...more,
})
const send = (path: string, more: object) =>
  app.request('post', `/internal/judging/${path}`, { criterion_id: id, instrument: 1, source: 'gate', ...more })
const plan = (runs: readonly object[], more: object = {}) => send('gate-judgements', { runs, ...more })
const read = (trace_ids: readonly string[], more: object = {}) => send('gate-verdicts', { trace_ids, ...more })

async function judgeAll(outcome: Partial<JudgementOutcome> = {}): Promise<LeasedJudgement[]> {
  const seen: LeasedJudgement[] = []
  const { deps } = judgingWith(judgements(), async (judgement) => {
    seen.push(judgement)
    return { ...passed, ...outcome }
  })
  for (const judgementId of await judgements().overdue(100)) await processJudgement(deps, judgementId)
  return seen
}

it('are judged once per instrument, with exactly the steps that were sent', async () => {
  const sent = run('run-1')
  expect((await plan([sent, run('run-2')])).body).toEqual({ planned: 2 })
  expect((await plan([run('run-1')])).body).toEqual({ planned: 0 })
  const seen = await judgeAll({ verdict: 'fail' })
  const first = seen.find(({ item }) => item.kind === 'run' && item.traceId === 'run-1')
  expect(first).toMatchObject({
    unit: 'trace',
    source: 'gate',
    isCanary: true,
    segment: 'seg-a',
    item: { kind: 'run', stepIds: sent.step_ids.map((step) => uuidOf('log', step)) },
  })
  const none = {
    log_id: null,
    by_monitor: false,
    failure: null,
    grade: null,
    grade_probability: null,
    skip_probability: null,
  }
  expect((await read(['run-1', 'run-3'])).body.data).toEqual([
    { ...none, trace_id: 'run-1', state: 'done', verdict: 'fail' },
  ])
  expect((await read(['run-1'], { instrument: 2 })).body.data).toEqual([])
})

it('have the verdict of the monitor when it judges them anyway', async () => {
  const of = { id: criterionUuid(id), workspaceId: app.workspaceId }
  await app.request('put', `/v1/criteria/${id}/monitor`, { online_enabled: true })
  const item = { kind: 'run', traceId: 'seen', stepIds: [randomUUID()] } as const
  await judgements().plan([plannedFor(of, { source: 'online', item })])
  expect((await plan([run('seen')])).body).toEqual({ planned: 0 })
  await judgeAll()
  expect((await read(['seen'])).body.data).toMatchObject([
    { trace_id: 'seen', state: 'done', verdict: 'pass', by_monitor: true },
  ])
})

it('come with the grades of the run, and the probability of a draw that is on record, not one that a grade states', async () => {
  await plan([run('stated'), run('drawn'), run('picked')])
  const grade = (traceId: string, more: object) =>
    addGrade(app.operator, {
      label: 'fail',
      criterionId: criterionUuid(id),
      workspaceId: app.workspaceId,
      at: app.clock.now(),
      traceId,
      ...more,
    })
  await grade('stated', { method: 'gate', probability: 0.25 })
  await grade('drawn', { method: 'judged', probability: 0.5 })
  await grade('picked', { method: 'picked' })
  // A grade of one step is none of the run.
  const step = { label: 'pass', criterionId: null, workspaceId: app.workspaceId, at: app.clock.now() } as const
  await addGrade(app.operator, { ...step, logId: randomUUID() })
  const { data } = (await read(['stated', 'drawn', 'picked'])).body
  expect(data.map((each: Record<string, unknown>) => [each.trace_id, each.grade, each.grade_probability])).toEqual([
    ['drawn', 'fail', 0.5],
    ['picked', 'fail', null],
    ['stated', 'fail', null],
  ])
})

it('are refused for a judge of exchanges, and exchanges and shadows for a judge of runs', async () => {
  const log_id = publicId('log', randomUUID())
  const item = { log_id, segment: 's', tag: null, created_at: run('x').last_at, expires_at: run('x').expires_at }
  const refused = [400, 'unsupported_unit', 'criterion_id']
  expect(errorOf(await send('gate-judgements', { items: [item] }))).toEqual(refused)
  expect(errorOf(await send('gate-verdicts', { log_ids: [log_id] }))).toEqual(refused)
  expect(errorOf(await plan([run('x')], { source: 'shadow' }))).toEqual(refused)
  expect(errorOf(await plan([run('x', { step_ids: ['nonsense'] })]))).toEqual([400, 'invalid_request', 'runs'])
  id = await app.addCriterion()
  expect(errorOf(await plan([run('x')]))).toEqual(refused)
  expect(errorOf(await read(['x']))).toEqual(refused)
})
