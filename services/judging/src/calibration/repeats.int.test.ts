import type { Verdict } from '@ratchet/contracts/criteria'
import { createPgDrift } from '../drift/pg-drift.ts'
import type { LeasedJudgement } from '../judgements/judgement.ts'
import { criterionUuid, type JudgingApp, startJudgingApp } from '../judging-app.fixture.ts'
import { agreeing, answered, type CalibrationWorker, calibrationWorker } from '../runs/judge-all.fixture.ts'
import { addGrade } from './grades.fixture.ts'

let app: JudgingApp
let worker: CalibrationWorker

beforeAll(async () => {
  app = await startJudgingApp()
  worker = calibrationWorker(app.pool, app.clock.now)
})
afterAll(() => app?.stop())

async function gradedJudge(counts: Readonly<Record<Verdict, number>>): Promise<string> {
  const id = await app.addCriterion({ judge_prompt: `Fail number ${counts.fail} of ${counts.pass}.` })
  const grade = { workspaceId: app.workspaceId, criterionId: criterionUuid(id), at: app.clock.now() }
  for (const label of ['fail', 'pass'] as const) {
    for (let index = 0; index < counts[label]; index += 1) await addGrade(app.operator, { ...grade, label })
  }
  return id
}

async function calibrated(id: string, judge: (judgement: LeasedJudgement) => Promise<ReturnType<typeof answered>>) {
  const { body } = await app.request('post', `/v1/criteria/${id}/calibrate`, {})
  await worker.advance()
  await worker.finish(judge)
  return (await app.request('get', `/v1/criteria/${id}/calibrations/${body.id}`)).body
}

it('judges 5 % of the rows a second time, which changes nothing else that it measures', async () => {
  const id = await gradedJudge({ fail: 120, pass: 300 })
  const judged: LeasedJudgement[] = []
  const done = await calibrated(id, async (judgement) => {
    judged.push(judgement)
    const { source, human } = judgement
    return answered({ verdict: source === 'repeat' && human === 'fail' ? 'pass' : human })
  })
  const again = judged.filter(({ source }) => source === 'repeat')
  expect([judged.length, again.length, new Set(again.map(({ labelId }) => labelId)).size]).toEqual([441, 21, 21])
  const same = again.filter(({ human }) => human === 'pass').length
  expect(done).toMatchObject({
    status: 'DONE',
    progress: { done: 420, total: 420 },
    confusion: { tp: 120, fn: 0, fp: 0, tn: 300 },
    effective_n_fail: 120,
    repeatability: { rows: 21, same, rate: same / 21 },
    cost_usd: 0.00441,
  })
  expect(done.repeatability.ci[0]).toBeLessThan(same / 21)
  const { repeatability } = (await app.request('get', `/v1/criteria/${id}`)).body
  expect(repeatability).toEqual(done.repeatability)
  const rows = await app.request('get', `/v1/criteria/${id}/calibrations/${done.id}/rows?limit=1`)
  expect(rows.body.total).toBe(420)
  // The drift panel is chosen from the first verdicts.
  const [examined] = (await createPgDrift(app.pool).examined()).filter((each) => each.id === criterionUuid(id))
  expect(await createPgDrift(app.pool).calibrationRows(examined?.calibrationId ?? '')).toHaveLength(420)
})

it('notes that a judge gives other verdicts when it is asked again', async () => {
  const id = await gradedJudge({ fail: 30, pass: 31 })
  const done = await calibrated(id, async ({ source, human }) =>
    answered({ verdict: source === 'repeat' ? 'fail' : human }),
  )
  const { same } = done.repeatability
  expect(done.notes).toEqual([
    `Asked a second time about 20 of the graded items, the judge gave the same verdict on ${same}. Say more exactly in its prompt what fails, or choose another judge model.`,
  ])
})

it('measures the judge although second judgements are dead-lettered', async () => {
  const id = await gradedJudge({ fail: 30, pass: 33 })
  const { body } = await app.request('post', `/v1/criteria/${id}/calibrate`, {})
  await worker.advance()
  await app.operator.query(
    `UPDATE judgement SET state = 'poisoned', last_error = 'The provider broke off.' WHERE source = 'repeat' AND criterion_id = $1`,
    [criterionUuid(id)],
  )
  await worker.finish(agreeing)
  const done = (await app.request('get', `/v1/criteria/${id}/calibrations/${body.id}`)).body
  expect(done).toMatchObject({ status: 'DONE', tpr: 1, tnr: 1, repeatability: null, error: null })
})

it('measures the judge although no row could be judged a second time', async () => {
  const id = await gradedJudge({ fail: 30, pass: 32 })
  const done = await calibrated(id, async (judgement) => {
    if (judgement.source === 'repeat') return answered({ failure: 'refused', costNano: 0n })
    return agreeing(judgement)
  })
  expect(done).toMatchObject({ status: 'DONE', tpr: 1, tnr: 1, repeatability: null, notes: [] })
})
