import { randomUUID } from 'node:crypto'
import type { Verdict } from '@ratchet/contracts/criteria'
import { cohenKappa } from '@ratchet/stats/cohen-kappa'
import { wilsonInterval } from '@ratchet/stats/wilson-interval'
import type { LeasedJudgement } from '../judgements/judgement.ts'
import { type Answer, criterionUuid, type JudgingApp, startJudgingApp } from '../judging-app.fixture.ts'
import { agreeing, answered, type CalibrationWorker, calibrationWorker } from '../runs/judge-all.fixture.ts'
import { addCalibration } from './evidence.fixture.ts'
import { addGrade, type ReportedGrade } from './grades.fixture.ts'

let app: JudgingApp
let worker: CalibrationWorker
beforeAll(async () => {
  app = await startJudgingApp()
  worker = calibrationWorker(app.pool, app.clock.now)
})
afterAll(() => app?.stop())
beforeEach(() => app.clock.advance(60_000))

const errorOf = ({ status, body }: Answer) => [status, body.error.code, body.error.param]
const calibrate = (id: string, body?: object) => app.request('post', `/v1/criteria/${id}/calibrate`, body)
const read = async (id: string, calibration: string) =>
  (await app.request('get', `/v1/criteria/${id}/calibrations/${calibration}`)).body
const criterionOf = async (id: string) => (await app.request('get', `/v1/criteria/${id}`)).body

function grade(id: string, label: Verdict, more: Partial<ReportedGrade> = {}) {
  const { workspaceId } = app
  return addGrade(app.operator, { workspaceId, criterionId: criterionUuid(id), label, at: app.clock.now(), ...more })
}

async function gradeMany(id: string, counts: { fail: number; pass: number }, more: Partial<ReportedGrade> = {}) {
  for (const label of ['fail', 'pass'] as const) {
    for (let index = 0; index < counts[label]; index += 1) await grade(id, label, more)
  }
}

/** A judge that gets the first rows of each class wrong. */
function judgeOf(wrong: { fail: number; pass: number }) {
  const seen = { fail: 0, pass: 0 }
  return async ({ human }: LeasedJudgement) => {
    if (human === null) throw new Error('a calibration knows what people say')
    seen[human] += 1
    const verdict = seen[human] <= wrong[human] ? (human === 'fail' ? 'pass' : 'fail') : human
    return answered({ verdict })
  }
}

describe('a calibration', () => {
  it('measures the judge against the grades, and the judge shows the measures', async () => {
    const id = await app.addCriterion()
    await gradeMany(id, { fail: 50, pass: 100 })
    const started = await calibrate(id)
    expect([started.status, started.body]).toEqual([
      202,
      expect.objectContaining({ status: 'PENDING', trust: 'unmeasured', progress: { done: 0, total: 0 }, looks: 0 }),
    ])
    expect(app.enqueued).toContain(started.body.id.replace(/^cal_(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'))
    await worker.advance()
    await worker.judge(judgeOf({ fail: 1, pass: 3 }), 30)
    expect(await read(id, started.body.id)).toMatchObject({ status: 'RUNNING', progress: { done: 30, total: 150 } })
    app.clock.advance(5_000)
    await worker.finish(judgeOf({ fail: 0, pass: 0 }))
    const done = await read(id, started.body.id)
    const { tp, fn, fp, tn } = done.confusion
    expect([tp + fn, fp + tn, done.status]).toEqual([50, 100, 'DONE'])
    const { low = 0, high = 0 } = wilsonInterval(tp, 50) ?? {}
    expect(done).toMatchObject({
      tpr: tp / 50,
      tnr: tn / 100,
      tpr_ci: [low, high],
      kappa: cohenKappa({ tp, fn, fp, tn }),
      n_unparseable: 0,
      n_ties: 0,
      sampling: 'random',
      effective_n_fail: 50,
      effective_n_pass: 100,
      looks: 1,
      judge_model: 'sim/judge',
      judge_model_resolved: 'sim-judge-1',
      judge_fingerprint: 'fp_1',
      notes: [],
      // 150 rows, and 20 of them a second time.
      cost_usd: 0.0017,
      error: null,
      finished_at: app.clock.now().toISOString(),
      voided_at: null,
      progress: { done: 150, total: 150 },
    })
    const criterion = await criterionOf(id)
    const { trust, tpr, tnr, tpr_ci, tnr_ci, kappa } = done
    expect(criterion).toMatchObject({ trust, tpr, tnr, tpr_ci, tnr_ci, kappa, alignment_n: 150 })
    expect(criterion.aligned_at).toBe(done.finished_at)
  })

  it.each([
    ['certifies a good judge', { fail: 1, pass: 2 }, { fail: 60, pass: 80 }, 'trustworthy'],
    ['refuses a bad one', { fail: 20, pass: 0 }, { fail: 60, pass: 80 }, 'misaligned'],
    ['shows one near the limit as borderline', { fail: 6, pass: 0 }, { fail: 60, pass: 40 }, 'borderline'],
    ['calls a judge with few grades under-measured', { fail: 0, pass: 0 }, { fail: 12, pass: 12 }, 'under-measured'],
  ])('%s', async (_name, wrong, grades, trust) => {
    const id = await app.addCriterion()
    await gradeMany(id, grades)
    await calibrate(id)
    await worker.finish(judgeOf(wrong))
    expect((await criterionOf(id)).trust).toBe(trust)
  })

  it('uses the majority of graders, leaves out ties, and ignores superseded grades', async () => {
    const id = await app.addCriterion()
    await gradeMany(id, { fail: 2, pass: 2 })
    for (const [answer, label, grader] of [
      ...[['two of three', 'fail', 'ann'] as const, ['two of three', 'pass', 'bob'] as const],
      ...[['two of three', 'pass', 'cid'] as const, ['tie', 'pass', 'ann'] as const, ['tie', 'fail', 'bob'] as const],
      ...[['second thoughts', 'fail', 'ann'] as const, ['second thoughts', 'pass', 'ann'] as const],
    ]) {
      await grade(id, label, { answer, grader })
    }
    const { body } = await calibrate(id)
    await worker.finish(agreeing)
    const done = await read(id, body.id)
    expect([done.confusion, done.n_ties]).toEqual([{ tp: 2, fn: 0, fp: 0, tn: 4 }, 1])
    expect(done.notes).toEqual([expect.stringMatching(/^6 graded items .* at least 20/)])
  })

  it('uses grades of whole exchanges of its population for items without a grade of its own', async () => {
    const workspaceId = randomUUID()
    const population = { population: 'chat', population_family: 'seg_1' }
    const body = { name: 'Polite', judge_prompt: 'Fail what is rude.', judge_model: 'sim/judge', ...population }
    const { id } = (await app.request('post', '/v1/criteria', body, workspaceId)).body
    const own = { workspaceId, answer: 'graded twice' }
    const whole = { workspaceId, criterionId: null, tag: 'chat', segment: 'seg_1' }
    await grade(id, 'fail', whole)
    await grade(id, 'fail', { ...whole, answer: 'graded twice' })
    await grade(id, 'pass', { ...own, grader: 'bob' })
    await grade(id, 'fail', { ...whole, tag: 'other' })
    await grade(id, 'fail', { ...whole, segment: 'seg_2' })
    await grade(id, 'fail', { ...whole, workspaceId: randomUUID() })
    const estimate = await app.request('post', `/v1/criteria/${id}/calibrate`, { dry_run: true }, workspaceId)
    expect(estimate.body.rows).toMatchObject({ total: 2, fail: 1, pass: 1, ties: 0, unanswered: 0 })
  })

  it('is weighted when items were chosen with different probabilities', async () => {
    const id = await app.addCriterion()
    await gradeMany(id, { fail: 40, pass: 10 }, { probability: 0.5 })
    await gradeMany(id, { fail: 5, pass: 45 }, { probability: 1 / 18 })
    const { body } = await calibrate(id)
    await worker.finish(async ({ samplingProbability }) =>
      answered({ verdict: samplingProbability === 0.5 ? 'fail' : 'pass' }),
    )
    const done = await read(id, body.id)
    expect(done).toMatchObject({ sampling: 'weighted', confusion: { tp: 40, fn: 5, fp: 10, tn: 45 } })
    expect(done.tpr).toBeCloseTo(0.470588, 6)
    expect(done.tnr).toBeCloseTo(0.975904, 6)
    expect(done.notes[0]).toMatch('weighted')
  })

  it('ignores grades that are added while it runs', async () => {
    const id = await app.addCriterion()
    const changed = { answer: 'changed later', grader: 'ann' }
    await gradeMany(id, { fail: 3, pass: 3 })
    await grade(id, 'fail', changed)
    const { body } = await calibrate(id)
    app.clock.advance(1_000)
    await grade(id, 'pass', changed)
    await grade(id, 'pass')
    await worker.finish(agreeing)
    expect((await read(id, body.id)).confusion).toEqual({ tp: 4, fn: 0, fp: 0, tn: 3 })
  })

  it('of one class is done and unmeasured', async () => {
    const id = await app.addCriterion()
    await gradeMany(id, { fail: 0, pass: 30 })
    const { body } = await calibrate(id)
    await worker.finish(agreeing)
    expect(await read(id, body.id)).toMatchObject({
      status: 'DONE',
      trust: 'unmeasured',
      tpr: null,
      tpr_ci: null,
      tnr: 1,
    })
    expect(await criterionOf(id)).toMatchObject({ trust: 'unmeasured', tier: 'unmeasured', alignment_n: 30 })
  })

  it('counts calibrations of the instrument, and the newest is in force', async () => {
    const id = await app.addCriterion()
    await gradeMany(id, { fail: 40, pass: 40 })
    const looks = []
    for (const wrong of [0, 20, 0]) {
      app.clock.advance(1_000)
      const { body } = await calibrate(id)
      await worker.finish(judgeOf({ fail: wrong, pass: 0 }))
      looks.push([(await read(id, body.id)).looks, (await criterionOf(id)).trust])
    }
    expect(looks).toEqual([
      [1, 'trustworthy'],
      [2, 'misaligned'],
      [3, 'trustworthy'],
    ])
  })
})

describe('a calibration that fails', () => {
  it('fails with more than 5 % of rows without a readable verdict, and does not change the measures of the judge', async () => {
    const id = await app.addCriterion()
    await gradeMany(id, { fail: 20, pass: 20 })
    await addCalibration(app, { criterionId: criterionUuid(id) })
    const { body } = await calibrate(id)
    let count = 0
    await worker.finish(async ({ human }) => {
      count += 1
      return answered(count > 3 ? { verdict: human } : { failure: 'unparseable' })
    })
    const failed = await read(id, body.id)
    expect(failed).toMatchObject({ status: 'FAILED', n_unparseable: 3, tpr: null, trust: 'unmeasured', looks: 0 })
    expect(failed.error).toMatch('3 of 40 rows have no readable verdict')
    expect((await criterionOf(id)).trust).toBe('trustworthy')
  })

  it('fails with dead-lettered rows, and gives the reason', async () => {
    const id = await app.addCriterion()
    await gradeMany(id, { fail: 2, pass: 2 })
    const { body } = await calibrate(id)
    await worker.advance()
    await app.operator.query(
      `UPDATE judgement SET state = 'poisoned', last_error = 'The provider broke off. (request id ' || id || ')'
       WHERE run_id = (SELECT id FROM judge_run WHERE criterion_id = $1) AND human = 'fail'`,
      [criterionUuid(id)],
    )
    await worker.judge(async ({ human }) => answered({ verdict: human }))
    await worker.advance()
    expect(await read(id, body.id)).toMatchObject({
      status: 'FAILED',
      error: '2 of 4 rows could not be judged: 2 dead-lettered (The provider broke off.).',
    })
  })

  it('is void when the judge changes while it runs, and costs no more', async () => {
    const id = await app.addCriterion()
    await gradeMany(id, { fail: 10, pass: 10 })
    const { body } = await calibrate(id)
    await worker.advance()
    await worker.judge(agreeing, 5)
    await app.request('patch', `/v1/criteria/${id}`, { judge_prompt: 'Fail an answer that is long.' })
    let calls = 0
    await worker.finish((judgement) => {
      calls += 1
      return agreeing(judgement)
    })
    expect(calls).toBe(0)
    expect(await read(id, body.id)).toMatchObject({ status: 'VOIDED', void_reason: 'judge_prompt changed', tpr: null })
    expect((await criterionOf(id)).trust).toBe('unmeasured')
  })

  it('is void when the judge changed before its first step', async () => {
    const id = await app.addCriterion()
    await gradeMany(id, { fail: 1, pass: 1 })
    const { body } = await calibrate(id)
    await app.operator.query('UPDATE criterion SET instrument = instrument + 1 WHERE id = $1', [criterionUuid(id)])
    await worker.advance()
    expect(await read(id, body.id)).toMatchObject({
      status: 'VOIDED',
      void_reason: 'the judge changed during the calibration',
    })
  })

  it('has the same result when every step is done twice, at once and interrupted', async () => {
    const id = await app.addCriterion()
    await gradeMany(id, { fail: 20, pass: 30 })
    const { body } = await calibrate(id)
    const verdictOf = ({ id: judgement, human }: LeasedJudgement) =>
      answered({ verdict: judgement.endsWith('0') ? (human === 'fail' ? 'pass' : 'fail') : human })
    for (let round = 0; round < 100; round += 1) {
      await Promise.all([worker.advance(), worker.advance()])
      const judge = async (judgement: LeasedJudgement) => verdictOf(judgement)
      await Promise.all([worker.judge(judge, 7), worker.judge(judge, 7)])
    }
    const done = await read(id, body.id)
    const { rows } = await app.operator.query(
      `SELECT (count(*) FILTER (WHERE human = 'fail' AND verdict = 'fail'))::int AS tp, count(*)::int AS total
       FROM judgement WHERE criterion_id = $1 AND source = 'calibration'`,
      [criterionUuid(id)],
    )
    expect([done.status, done.confusion.tp, done.cost_usd]).toEqual(['DONE', rows[0].tp, 0.0007])
    expect(rows[0].total).toBe(50)
  })
})

describe('starting a calibration', () => {
  it('is refused without grades, and the error names what is missing', async () => {
    const id = await app.addCriterion()
    await grade(id, 'pass', { answer: 'tie', grader: 'ann' })
    await grade(id, 'fail', { answer: 'tie', grader: 'bob' })
    const refused = await calibrate(id, {})
    expect(errorOf(refused)).toEqual([412, 'precondition_failed', null])
    expect(refused.body.error.message).toMatch(/1 graded items are left out .* Grade at least 20 exchanges/)
    expect(refused.body.error.details).toEqual({
      checks: [{ name: 'graded_items', operator: '>=', threshold: 1, observed: 0, passed: false }],
      ties: 1,
      picked: 0,
      incomplete: 0,
    })
  })

  it('is refused while another one runs, and the error names that one', async () => {
    const id = await app.addCriterion()
    await gradeMany(id, { fail: 1, pass: 1 })
    const answers = await Promise.all([calibrate(id), calibrate(id), calibrate(id)])
    const [started, ...refused] = answers.toSorted((one, other) => one.status - other.status)
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409])
    for (const refusal of refused) {
      expect(errorOf(refusal)).toEqual([409, 'conflict', null])
      expect(refusal.body.error.message).toContain(started?.body.id)
      expect(refusal.body.error.details).toEqual({ calibration_id: started?.body.id })
    }
    await worker.finish(agreeing)
    expect((await calibrate(id)).status).toBe(202)
    await worker.finish(agreeing)
  })

  it('only counts items and estimates the cost in a dry run', async () => {
    const id = await app.addCriterion({ judge_prompt: 'Fail an answer that no other judge fails.' })
    await gradeMany(id, { fail: 2, pass: 3 })
    const { status, body } = await calibrate(id, { dry_run: true })
    const rows = { total: 5, fail: 2, pass: 3, ties: 0, picked: 0, judged_twice: 5, incomplete: 0, unanswered: 0 }
    const plan = expect.objectContaining({
      bar: 0.9,
      min_grades_for_trust: 35,
      min_grades_to_act: 51,
      next_grades: null,
    })
    const estimated_cost_usd = expect.any(Number)
    expect([status, body]).toEqual([200, { object: 'criterion.calibration_estimate', rows, estimated_cost_usd, plan }])
    // 200 tokens for each verdict at 10 USD per million, plus the prompt.
    expect(body.estimated_cost_usd).toBeGreaterThan(10 * 0.002)
    expect(body.estimated_cost_usd).toBeLessThan(10 * 0.004)
    expect((await app.request('get', `/v1/criteria/${id}/calibrations`)).body.total).toBe(0)
    const empty = await app.addCriterion()
    expect((await calibrate(empty, { dry_run: true })).body).toMatchObject({
      rows: { total: 0 },
      estimated_cost_usd: 0,
    })
  })

  it('uses the grades that the filter selects', async () => {
    const id = await app.addCriterion()
    await grade(id, 'fail', { grader: 'ann' })
    const first = app.clock.now().toISOString()
    app.clock.advance(1_000)
    await gradeMany(id, { fail: 1, pass: 2 }, { grader: 'bob', probability: 0.5 })
    await grade(id, 'fail', { grader: 'cem', method: 'picked' })
    const total = async (body: object) => (await calibrate(id, { ...body, dry_run: true })).body.rows.total
    expect(await total({})).toBe(4)
    expect(await total({ label_filter: { grader_id: 'ann' } })).toBe(1)
    expect(await total({ include_picked: true })).toBe(5)
    expect(await total({ label_filter: { created_after: first } })).toBe(3)
    expect(await total({ label_filter: { sampling: 'random' } })).toBe(1)
    expect(await total({ label_filter: { sampling: 'any', grader_id: null } })).toBe(4)
    expect(await total({ max_rows: 2 })).toBe(2)
    const { body } = await calibrate(id, { max_rows: 3 })
    await worker.finish(agreeing)
    expect((await read(id, body.id)).progress).toEqual({ done: 3, total: 3 })
  })

  it.each([
    [{ max_rows: 0 }, 'invalid_request', 'max_rows'],
    [{ max_rows: 10_001 }, 'invalid_request', 'max_rows'],
    [{ dry_run: 'yes' }, 'invalid_request', 'dry_run'],
    [{ label_filter: { created_after: 'yesterday' } }, 'invalid_request', 'label_filter.created_after'],
    [{ label_filter: { sampling: 'some' } }, 'invalid_request', 'label_filter.sampling'],
    [{ label_filter: { color: 'red' } }, 'unknown_parameter', 'label_filter.color'],
    [{ rows: 5 }, 'unknown_parameter', 'rows'],
  ])('refuses %j with 400 %s', async (body, ...refusal) => {
    expect(errorOf(await calibrate(await app.addCriterion(), body))).toEqual([400, ...refusal])
  })

  it('clears a stale flag when it is done, but not a quality_drop flag', async () => {
    for (const [signal, status] of [
      ['stale', 'ok'],
      ['quality_drop', 'flagged'],
    ] as const) {
      const id = await app.addCriterion()
      await gradeMany(id, { fail: 1, pass: 1 })
      const flag = `UPDATE criterion SET drift_signal = $2, drift_reason = 'so' WHERE id = $1`
      await app.operator.query(flag, [criterionUuid(id), signal])
      await calibrate(id)
      expect((await criterionOf(id)).drift_status).toBe('flagged')
      await worker.finish(agreeing)
      expect((await criterionOf(id)).drift_status).toBe(status)
    }
  })
})
