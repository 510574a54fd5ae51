import type { Verdict } from '@ratchet/contracts/criteria'
import { createDriftReplayRunHandler } from '../drift/drift-replay-run.ts'
import { createPgDrift } from '../drift/pg-drift.ts'
import type { LeasedJudgement } from '../judgements/judgement.ts'
import { createPgJudgements } from '../judgements/pg-judgements.ts'
import { createPgVerdicts } from '../judgements/pg-verdicts.ts'
import { criterionUuid, type JudgingApp, startJudgingApp } from '../judging-app.fixture.ts'
import { freezeExchange } from '../labels/freeze-exchange.ts'
import type { NewLabel } from '../labels/label.ts'
import { createPgLabels } from '../labels/pg-labels.ts'
import { createPgProgress } from '../progress/pg-progress.ts'
import { answered, type CalibrationWorker, calibrationWorker } from '../runs/judge-all.fixture.ts'
import { recordDraw } from './grades.fixture.ts'

let app: JudgingApp
let worker: CalibrationWorker

beforeAll(async () => {
  app = await startJudgingApp()
  worker = calibrationWorker(app.pool, app.clock.now)
})
afterAll(() => app?.stop())

/** Grades of runs that a random frame offered. Their snapshots are folded runs. */
async function gradeRuns(criterionId: string | null, label: Verdict, traceIds: readonly string[]) {
  const labels = traceIds.map((traceId): NewLabel => {
    const response = { role: 'assistant', content: `Done with ${traceId}.` }
    const messages = [{ role: 'user', content: 'Do it.' }]
    return {
      id: crypto.randomUUID(),
      workspaceId: app.workspaceId,
      criterionId: criterionId === null ? null : criterionUuid(criterionId),
      unit: 'trace',
      logId: null,
      traceId,
      itemKey: `trace ${traceId}`,
      label,
      rationale: null,
      graderId: 'ann',
      source: 'review_queue',
      blind: true,
      externalId: null,
      tag: null,
      segment: 'none',
      sampling: { method: 'random', probability: 1, stratum: null },
      createdBy: app.workspaceId,
      createdAt: app.clock.now(),
      snapshot: freezeExchange({ messages, response, tools: null, model: null }),
    }
  })
  await createPgLabels(app.pool).add(labels, { skipsKnown: false })
  for (const { workspaceId, criterionId: judge, traceId, createdAt: at } of labels) {
    await recordDraw(app.operator, { workspaceId, criterionId: judge, at, logId: null, traceId, kind: 'random' })
  }
}

const traces = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}-${index}`)

it('calibrates a judge of runs on graded runs, each counted once, and on no grade of an exchange', async () => {
  const id = await app.addCriterion({ unit: 'trace' })
  const ofExchanges = await app.addCriterion()
  await gradeRuns(id, 'fail', traces('fail', 40))
  await gradeRuns(null, 'pass', traces('pass', 60))
  const judged: LeasedJudgement[] = []
  const started = await app.request('post', `/v1/criteria/${id}/calibrate`, {})
  expect(started.status).toBe(202)
  await worker.advance()
  await worker.finish(async (judgement) => {
    judged.push(judgement)
    return answered({ verdict: judgement.human })
  })
  const { body } = await app.request('get', `/v1/criteria/${id}/calibrations/${started.body.id}`)
  expect(body).toMatchObject({ status: 'DONE', confusion: { tp: 40, fn: 0, fp: 0, tn: 60 }, tpr: 1, tnr: 1 })
  expect(new Set(judged.map(({ unit, item }) => `${unit} ${item.kind}`))).toEqual(new Set(['trace snapshot']))
  const criterion = (await app.request('get', `/v1/criteria/${id}`)).body
  // Trusted at this evaluation; 51 faultless grades of a class are proof at any number of evaluations.
  expect(criterion).toMatchObject({ trust: 'trustworthy', alignment_n: 100, can_act: false, e_value_needed: 40 })
  expect(criterion.e_value_tpr).toBeLessThan(40)
  expect(criterion.e_value_tnr).toBeGreaterThan(40)
  expect(criterion.act_fail_grades_needed).toBe(11)
  const other = await app.request('post', `/v1/criteria/${ofExchanges}/calibrate`, { dry_run: true })
  expect(other.body.rows?.total).toBe(0)
})

it('lets a copy of judges that were calibrated before act on stronger evidence only, also when they are deleted', async () => {
  const prompt = { unit: 'trace', judge_prompt: 'Fail an answer that comes too late.' }
  let count = 0
  /** The e-value that a judge needs after a calibration with 55 right verdicts of each class, and whether it may act. */
  const calibrated = async (id: string) => {
    count += 1
    await gradeRuns(id, 'fail', traces(`copied-fail-${count}`, 55))
    await gradeRuns(id, 'pass', traces(`copied-pass-${count}`, 55))
    await app.request('post', `/v1/criteria/${id}/calibrate`, {})
    await worker.advance()
    await worker.finish(async ({ human }) => answered({ verdict: human }))
    const { body } = await app.request('get', `/v1/criteria/${id}`)
    return [body.e_value_needed, body.can_act]
  }
  const fewestToAct = async (id: string) => {
    const { body } = await app.request('post', `/v1/criteria/${id}/calibrate`, { dry_run: true })
    return body.plan.min_grades_to_act
  }
  const create = async (more: object) => {
    app.clock.advance(1_000)
    return app.addCriterion(more)
  }
  const first = await create(prompt)
  expect(await calibrated(first)).toEqual([40, true])
  const other = await create({ ...prompt, judge_prompt: 'Fail an answer that comes too early.' })
  expect(await calibrated(other)).toEqual([40, true])
  const copy = await create(prompt)
  expect(await fewestToAct(first)).toBe(51)
  const fewestOfCopy = await fewestToAct(copy)
  expect(fewestOfCopy).toBeGreaterThan(55)
  expect(await calibrated(copy)).toEqual([80, false])
  expect(await fewestToAct(copy)).toBe(fewestOfCopy)
  expect((await app.request('delete', `/v1/criteria/${copy}`)).status).toBe(200)
  // The first one was first, whatever came later.
  expect((await calibrated(first))[0]).toBe(40)
  expect((await app.request('delete', `/v1/criteria/${first}`)).status).toBe(200)
  expect(await calibrated(await create(prompt))).toEqual([240, false])
})

it('lets a judge whose prompt was changed act on stronger evidence only, where it was calibrated on the same grades', async () => {
  const [one, two, three] = ['is late', 'is early', 'never comes'].map((what) => `Fail a run whose report ${what}.`)
  const id = await app.addCriterion({ unit: 'trace', judge_prompt: one })
  await gradeRuns(id, 'fail', traces('changed-fail', 55))
  await gradeRuns(id, 'pass', traces('changed-pass', 55))
  const calibrated = async (filter: object = {}, judge = id) => {
    app.clock.advance(1_000)
    await app.request('post', `/v1/criteria/${judge}/calibrate`, filter)
    await worker.advance()
    await worker.finish(async ({ human }) => answered({ verdict: human }))
    const { body } = await app.request('get', `/v1/criteria/${judge}`)
    return [body.e_value_needed, body.can_act]
  }
  const change = (body: object) => app.request('patch', `/v1/criteria/${id}`, body)
  expect(await calibrated()).toEqual([40, true])
  await change({ judge_prompt: two })
  expect(await calibrated()).toEqual([80, false])
  await change({ judge_prompt: one })
  // It was the first, and may be calibrated any number of times.
  expect(await calibrated()).toEqual([40, true])
  await change({ judge_prompt: three })
  // Verdicts of a calibration that does not end can be read too.
  await app.request('post', `/v1/criteria/${id}/calibrate`)
  await worker.advance()
  await worker.judge(async ({ human }) => answered({ verdict: human }), 20)
  await change({ judge_prompt: `${three} Be strict.` })
  expect(await calibrated()).toEqual([480, false])
  app.clock.advance(1_000)
  const createdAfter = app.clock.now().toISOString()
  app.clock.advance(1_000)
  await gradeRuns(id, 'fail', traces('changed-later', 20))
  await change({ judge_prompt: `${three} Be fair.` })
  expect((await calibrated({ label_filter: { created_after: createdAfter } }))[0]).toBe(40)
  const copy = await app.addCriterion({ unit: 'trace', judge_prompt: one })
  await gradeRuns(copy, 'fail', traces('changed-copy', 1))
  expect((await calibrated({}, copy))[0]).toBe(80)
})

describe('grades that a prompt was tuned on', () => {
  const before = 'Fail a run that ends without a summary for the person.'
  const proposed = 'Fail what promises a refund without naming the order. An offer to ask a colleague is no promise.'
  const graded = async (id: string) => {
    await gradeRuns(id, 'fail', traces('tuned-fail', 20))
    await gradeRuns(id, 'pass', traces('tuned-pass', 20))
  }
  /** Inserts an improvement that judged all grades of a judge and proposed a prompt. */
  const improve = async (id: string) => {
    const result = { phase: 'done', best: 1, tried: [{ prompt: before }, { prompt: proposed }] }
    const { rows } = await app.operator.query<{ id: string }>(
      `INSERT INTO judge_run (id, workspace_id, criterion_id, kind, status, instrument, judge_model, prompt_sha256, request,
         result, created_by, created_at, finished_at)
       SELECT gen_random_uuid(), workspace_id, id, 'improvement', 'DONE', instrument, judge_model, 'x', '{}', $2, created_by,
         $3, $3 FROM criterion WHERE id = $1 RETURNING id`,
      [criterionUuid(id), JSON.stringify(result), app.clock.now()],
    )
    await app.operator.query(
      `INSERT INTO judgement (id, workspace_id, criterion_id, run_id, source, instrument, snapshot_id, label_id, human,
         created_at, state, verdict, judged_at)
       SELECT gen_random_uuid(), workspace_id, criterion_id, $2, 'improvement', 1, snapshot_id, id, label, $3, 'done', label, $3
       FROM label WHERE criterion_id = $1`,
      [criterionUuid(id), rows[0]?.id, app.clock.now()],
    )
  }
  const notesOf = async (id: string) => {
    app.clock.advance(1_000)
    const { body } = await app.request('post', `/v1/criteria/${id}/calibrate`, {})
    await worker.advance()
    await worker.finish(async ({ human }) => answered({ verdict: human }))
    return (await app.request('get', `/v1/criteria/${id}/calibrations/${body.id}`)).body.notes
  }
  const leftOut = expect.arrayContaining([expect.stringMatching(/^20 graded items .* tuned on them/)])

  it('are no evidence for a prompt like it, in any judge of the workspace, also when the improved one is deleted', async () => {
    const improved = await app.addCriterion({ unit: 'trace', judge_prompt: before })
    await graded(improved)
    await improve(improved)
    expect(await notesOf(improved)).not.toEqual(leftOut)
    await app.request('patch', `/v1/criteria/${improved}`, { judge_prompt: proposed.replace(' ', '  ') })
    expect(await notesOf(improved)).toEqual(leftOut)
    const copy = await app.addCriterion({ unit: 'trace', judge_prompt: `Be strict. ${proposed}` })
    await graded(copy)
    expect(await notesOf(copy)).toEqual(leftOut)
    const other = await app.addCriterion({ unit: 'trace', judge_prompt: 'Fail what is in another language.' })
    await graded(other)
    expect(await notesOf(other)).not.toEqual(leftOut)
    expect((await app.request('delete', `/v1/criteria/${improved}`)).status).toBe(200)
    expect(await notesOf(copy)).toEqual(leftOut)
    expect(await notesOf(other)).not.toEqual(leftOut)
  })
})

it('gives the grades of runs that were chosen at random to the estimate of a scan', async () => {
  const id = await app.addCriterion({ unit: 'trace' })
  await gradeRuns(id, 'fail', ['a'])
  await gradeRuns(null, 'pass', ['b'])
  const verdicts = createPgVerdicts(app.pool)
  const key = { workspaceId: app.workspaceId, criterionId: criterionUuid(id) }
  const found = await verdicts.randomGrades({ ...key, unit: 'trace' }, ['a', 'b', 'c'])
  expect(found).toEqual(
    new Map([
      ['a', 'fail'],
      ['b', 'pass'],
    ]),
  )
})

it('counts grades of runs in the setup status apart from those of exchanges', async () => {
  const id = await app.addCriterion({ unit: 'trace' })
  await gradeRuns(id, 'fail', traces('own', 3))
  const graded = await createPgProgress(app.pool).gradedForJudges(app.workspaceId)
  expect(graded.get(criterionUuid(id))?.fails).toBe(3)
})

it('judges runs again when their judge may have drifted', async () => {
  const id = await app.addCriterion({ unit: 'trace' })
  await gradeRuns(id, 'fail', traces('again', 12))
  await gradeRuns(id, 'pass', traces('again-pass', 12))
  const { body } = await app.request('post', `/v1/criteria/${id}/calibrate`, {})
  await worker.advance()
  await worker.finish(async ({ human }) => answered({ verdict: human }))
  const [examined] = (await createPgDrift(app.pool).examined()).filter((each) => each.id === criterionUuid(id))
  const judgements = createPgJudgements(app.pool)
  const replay = createDriftReplayRunHandler({ drift: createPgDrift(app.pool), judgements, now: app.clock.now })
  const run = {
    id: crypto.randomUUID(),
    workspaceId: app.workspaceId,
    criterionId: criterionUuid(id),
    instrument: 1,
    rowsTotal: null,
    request: { calibrationId: examined?.calibrationId },
  }
  const step = await replay(run as never)
  expect(body.status).toBe('PENDING')
  expect(new Set(step.judgements?.map(({ item }) => item.kind))).toEqual(new Set(['snapshot']))
})
