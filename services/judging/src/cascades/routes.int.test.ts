import { randomUUID } from 'node:crypto'
import type { Verdict } from '@ratchet/contracts/criteria'
import { publicId } from '@ratchet/contracts/public-id'
import { eventually } from '@ratchet/testing/eventually'
import { addGrade } from '../calibration/grades.fixture.ts'
import type { LeasedJudgement } from '../judgements/judgement.ts'
import { criterionUuid, type JudgingApp, startJudgingApp } from '../judging-app.fixture.ts'
import { answered, type CalibrationWorker, calibrationWorker } from '../runs/judge-all.fixture.ts'

let app: JudgingApp
let worker: CalibrationWorker

beforeAll(async () => {
  app = await startJudgingApp()
  const log = {
    sample: async () => ({ total: app.logged.rows.length, rows: app.logged.rows as never }),
    drawRuns: () => Promise.reject(new Error('not of this test')),
    readRuns: () => Promise.reject(new Error('not of this test')),
  }
  worker = calibrationWorker(app.pool, app.clock.now, log)
})
afterAll(() => app?.stop())
beforeEach(async () => {
  await app.operator.query('DELETE FROM label')
  await app.operator.query('DELETE FROM cascade_attempt')
  // What has no attempt was planned by a worker of the release before, and counts.
  await app.operator.query(
    "UPDATE judge_run SET status = 'FAILED', finished_at = coalesce(finished_at, now()) WHERE kind = 'cascade_calibration'",
  )
  app.logged.rows.length = 0
})

interface Cascade {
  readonly id: string
  readonly cheap: string
  readonly dear: string
}

async function addCascade(more: object = {}): Promise<Cascade> {
  const cheap = await app.addCriterion({ name: 'Cheap' })
  const dear = await app.addCriterion({ name: 'Dear', judge_model: 'sim/large' })
  const members = [{ criterion_id: cheap }, { criterion_id: dear }]
  const { status, body } = await app.request('post', '/v1/cascades', { name: 'Polite', members, ...more })
  expect(status).toBe(201)
  return { id: body.id, cheap, dear }
}

async function grade({ dear }: Cascade, count: number, more: object = {}): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const label = index % 4 === 0 ? 'fail' : 'pass'
    const shared = { criterionId: criterionUuid(dear), workspaceId: app.workspaceId, at: app.clock.now() }
    await addGrade(app.operator, { ...shared, label, ...more })
  }
}

const opposite = (verdict: Verdict | null) => (verdict === 'fail' ? 'pass' : 'fail')

/** A cheap judge whose verdicts differ on every third item, and a dear one that is right. */
function judgeOf({ cheap }: Cascade, onItem: (judgement: LeasedJudgement) => { truth: Verdict; isHard: boolean }) {
  return async (judgement: LeasedJudgement) => {
    const { truth, isHard } = onItem(judgement)
    const isCheap = judgement.criterionId === criterionUuid(cheap)
    const costNano = isCheap ? 1_000n : 10_000n
    const isOther = isCheap && isHard && judgement.judgePrompt !== null
    return answered({ verdict: isOther ? opposite(truth) : truth, costNano })
  }
}

const hardItems = new Map<string, boolean>()
const byLabel = ({ human, labelId }: LeasedJudgement) => {
  const id = labelId ?? ''
  hardItems.set(id, hardItems.get(id) ?? hardItems.size % 3 === 0)
  return { truth: human ?? 'pass', isHard: hardItems.get(id) === true }
}

async function calibrate(cascade: Cascade, body: object = {}) {
  app.clock.advance(1_000)
  const started = await app.request('post', `/v1/cascades/${cascade.id}/calibrate`, body)
  expect(started.status).toBe(202)
  hardItems.clear()
  await worker.advance()
  await worker.finish(judgeOf(cascade, byLabel))
  return (await app.request('get', `/v1/cascades/${cascade.id}`)).body
}

function logItems(count: number): readonly string[] {
  const at = app.clock.now().toISOString()
  const expires_at = new Date(app.clock.now().getTime() + 86_400_000).toISOString()
  const ids = Array.from({ length: count }, () => randomUUID())
  const tokens = { prompt_tokens: 1, completion_tokens: 1 }
  app.logged.rows.push(
    ...ids.map((id) => ({ id: publicId('log', id), segment: 's', tag: null, created_at: at, expires_at, ...tokens })),
  )
  return ids
}

describe('a cascade', () => {
  it('is created of judges of one question, with 3 verdicts of each and 1 of the last', async () => {
    const cascade = await addCascade()
    const { body } = await app.request('get', `/v1/cascades/${cascade.id}`)
    expect(body).toMatchObject({
      object: 'cascade',
      members: [
        { criterion_id: cascade.cheap, verdicts: 3 },
        { criterion_id: cascade.dear, verdicts: 1 },
      ],
      agreement: 0.9,
      confidence: 0.95,
      can_scan: false,
      calibration: null,
    })
    expect((await app.request('get', '/v1/cascades?limit=1')).body.data[0].id).toBe(cascade.id)
  })

  it('refuses judges of another population or unit, one judge twice, and judges of others', async () => {
    const cheap = await app.addCriterion()
    const others = [await app.addCriterion({ population: 'x' }), await app.addCriterion({ unit: 'trace' }), cheap]
    for (const other of others) {
      const members = [{ criterion_id: cheap }, { criterion_id: other }]
      const { status, body } = await app.request('post', '/v1/cascades', { name: 'No', members })
      expect([status, body.error.code]).toEqual([400, 'invalid_request'])
    }
    const members = [{ criterion_id: cheap }, { criterion_id: publicId('criterion', randomUUID()) }]
    const unknown = await app.request('post', '/v1/cascades', { name: 'No', members })
    expect([unknown.status, unknown.body.error.param]).toEqual([404, 'members[1].criterion_id'])
  })

  it('does not exist for another workspace', async () => {
    const { id } = await addCascade()
    const by = randomUUID()
    expect((await app.request('get', `/v1/cascades/${id}`, undefined, by)).status).toBe(404)
    expect((await app.request('post', `/v1/cascades/${id}/calibrate`, {}, by)).status).toBe(404)
    expect((await app.request('post', `/v1/cascades/${id}/scan`, {}, by)).status).toBe(404)
    expect((await app.request('delete', `/v1/cascades/${id}`, undefined, by)).status).toBe(404)
    expect((await app.request('get', '/v1/cascades', undefined, by)).body.total).toBe(0)
    expect((await app.request('delete', `/v1/cascades/${id}`)).body).toEqual({ id, deleted: true })
    expect((await app.request('get', `/v1/cascades/${id}`)).status).toBe(404)
  })
})

describe('a calibration of a cascade', () => {
  it('proves thresholds, and reports what they decide, save and agree', async () => {
    const cascade = await addCascade()
    await grade(cascade, 120)
    const { can_scan, calibration } = await calibrate(cascade)
    expect(can_scan).toBe(true)
    expect(calibration).toMatchObject({ status: 'DONE', graded: 120, ordinal: 1, is_proven: true, coverage: 1 })
    expect(calibration.thresholds).toEqual([
      { criterion_id: cascade.cheap, verdicts: 3, min_equal: 3 },
      { criterion_id: cascade.dear, verdicts: 1, min_equal: 1 },
    ])
    expect(calibration.shares[0].share).toBeCloseTo(2 / 3)
    // Three cheap verdicts, and a dear one for every third item.
    expect(calibration.usd_per_1000).toBeCloseTo((3_000 + 10_000 / 3) / 1e6)
    expect(calibration.last_judge_usd_per_1000).toBeCloseTo(10_000 / 1e6)
    expect(calibration.saving).toBeCloseTo(1 - 0.3 - 1 / 3)
    expect(calibration.error_probability).toBeCloseTo(0.025)
    expect(calibration.cost_usd).toBeCloseTo((120 * 13_000) / 1e9)
  })

  it('is waited for, when it starts and when its cascade is read', async () => {
    const cascade = await addCascade()
    await grade(cascade, 60)
    const prefer = { prefer: 'wait=60' }
    const path = `/v1/cascades/${cascade.id}`
    const started = app.request('post', `${path}/calibrate`, {}, undefined, prefer)
    await eventually(async () => (await app.request('get', path)).body.calibration !== null)
    const read = app.request('get', path, undefined, undefined, prefer)
    hardItems.clear()
    await worker.advance()
    await worker.finish(judgeOf(cascade, byLabel))
    const answers = await Promise.all([started, read])
    for (const { headers } of answers) expect(headers['preference-applied']).toBe('wait=60')
    const [{ status, body }, { body: shown }] = answers
    expect([status, body.status, body.graded]).toEqual([202, 'DONE', 60])
    expect(shown.calibration).toEqual(body)
  })

  it('proves less with every further calibration of the same grades', async () => {
    const cascade = await addCascade()
    await grade(cascade, 60)
    await calibrate(cascade)
    const { calibration } = await calibrate(cascade)
    expect(calibration.ordinal).toBe(2)
    expect(calibration.error_probability).toBeCloseTo(0.05 / 6)
  })

  it('counts a calibration that a worker of the release before has shown without noting it', async () => {
    const cascade = await addCascade()
    await grade(cascade, 60)
    await calibrate(cascade)
    await app.operator.query('DELETE FROM cascade_attempt')
    const { calibration } = await calibrate(cascade)
    expect(calibration.ordinal).toBe(2)
    expect(calibration.error_probability).toBeCloseTo(0.05 / 6)
  })

  it('spends one error probability in all cascades of the workspace, deleted ones too', async () => {
    const first = await addCascade()
    await grade(first, 60)
    const before = (await calibrate(first)).calibration.ordinal
    await app.request('delete', `/v1/cascades/${first.id}`)
    const members = [{ criterion_id: first.cheap }, { criterion_id: first.dear }]
    for (const ordinal of [before + 1, before + 2]) {
      const { body } = await app.request('post', '/v1/cascades', { name: 'Again', members, agreement: 0.8 })
      const { calibration } = await calibrate({ ...first, id: body.id })
      expect(calibration.ordinal).toBe(ordinal)
      expect(calibration.error_probability).toBeCloseTo(0.05 / (ordinal * (ordinal + 1)))
    }
  })

  it('gives a copy of the last judge no error probability of its own, nor does deleting the judge', async () => {
    const first = await addCascade()
    await grade(first, 60)
    const before = (await calibrate(first)).calibration.ordinal
    const copy = await addCascade()
    await grade(copy, 60)
    expect((await calibrate(copy)).calibration.ordinal).toBe(before + 1)
    for (const { dear } of [first, copy]) {
      expect((await app.request('delete', `/v1/criteria/${dear}`)).status).toBe(200)
    }
    const again = await addCascade()
    await grade(again, 60)
    expect((await calibrate(again)).calibration.ordinal).toBe(before + 2)
  })

  it('proves nothing with few grades, and then cannot scan', async () => {
    const cascade = await addCascade()
    await grade(cascade, 20)
    const { can_scan, calibration } = await calibrate(cascade)
    expect([can_scan, calibration.status, calibration.is_proven, calibration.thresholds]).toEqual([
      false,
      'DONE',
      false,
      [],
    ])
    const scan = await app.request('post', `/v1/cascades/${cascade.id}/scan`, {})
    expect([scan.status, scan.body.error.code]).toEqual([412, 'precondition_failed'])
  })

  it('does not count grades without a known draw', async () => {
    const cascade = await addCascade()
    await grade(cascade, 120, { method: 'picked' })
    const refused = await app.request('post', `/v1/cascades/${cascade.id}/calibrate`, {})
    expect([refused.status, refused.body.error.code]).toEqual([412, 'precondition_failed'])
    await grade(cascade, 20)
    const { calibration } = await calibrate(cascade)
    expect(calibration).toMatchObject({ graded: 20, left_out: 120, is_proven: false })
  })

  it.each([
    ['prompt', { judge_prompt: 'Fail what is impolite.' }],
    ['model', { judge_model: 'sim/large' }],
  ])('promises nothing after a change of the %s of a judge', async (_what, change) => {
    const cascade = await addCascade()
    await grade(cascade, 120)
    await calibrate(cascade)
    await app.request('patch', `/v1/criteria/${cascade.cheap}`, change)
    const { body } = await app.request('get', `/v1/cascades/${cascade.id}`)
    expect([body.can_scan, body.calibration.status]).toEqual([false, 'VOIDED'])
    expect(body.calibration.void_reason).toContain('Cheap')
    expect((await app.request('post', `/v1/cascades/${cascade.id}/scan`, {})).status).toBe(412)
  })

  it('fails when a judge changes meanwhile, or its maximum cost is reached', async () => {
    const cascade = await addCascade()
    await grade(cascade, 40)
    await app.request('post', `/v1/cascades/${cascade.id}/calibrate`, {})
    const second = await app.request('post', `/v1/cascades/${cascade.id}/calibrate`, {})
    expect([second.status, second.body.error.code]).toEqual([409, 'conflict'])
    await worker.advance()
    await app.request('patch', `/v1/criteria/${cascade.dear}`, { judge_prompt: 'Fail what is impolite.' })
    await worker.finish(judgeOf(cascade, byLabel))
    const changed = await app.request('get', `/v1/cascades/${cascade.id}`)
    expect([changed.body.can_scan, changed.body.calibration.status]).toEqual([false, 'FAILED'])
    app.clock.advance(1_000)
    await app.request('post', `/v1/cascades/${cascade.id}/calibrate`, { max_cost_usd: 0.01 })
    await worker.advance()
    const caps: (bigint | undefined)[] = []
    await worker.finish(async ({ spendCap }) => {
      caps.push(spendCap?.capNano)
      return answered({ failure: 'over_cap' })
    })
    expect(new Set(caps)).toEqual(new Set([10_000_000n]))
    const capped = await app.request('get', `/v1/cascades/${cascade.id}`)
    expect(capped.body.calibration).toMatchObject({ status: 'FAILED', is_proven: false, ordinal: 1 })
  })

  it('is nothing that gates, evidence or the lists of a judge read', async () => {
    const cascade = await addCascade()
    await grade(cascade, 120)
    await calibrate(cascade)
    for (const id of [cascade.cheap, cascade.dear]) {
      const { body } = await app.request('get', `/v1/criteria/${id}`)
      expect(body).toMatchObject({ trust: 'unmeasured', can_act: false, online_spent_usd: 0 })
      expect((await app.request('get', `/v1/criteria/${id}/calibrations`)).body.total).toBe(0)
    }
  })
})

describe('a scan with a cascade', () => {
  it('calls the dear judge only for what the cheap one does not decide', async () => {
    const cascade = await addCascade()
    await grade(cascade, 120)
    await calibrate(cascade)
    const ids = logItems(30)
    const { status, body } = await app.request('post', `/v1/cascades/${cascade.id}/scan`, { sample_count: 30 })
    expect([status, body.object]).toEqual([202, 'cascade.scan'])
    const calls: string[] = []
    const byLog = ({ item, criterionId }: LeasedJudgement) => {
      const index = ids.indexOf(item.kind === 'log' ? item.logId : '')
      calls.push(criterionId)
      return { truth: index % 5 === 0 ? ('fail' as const) : ('pass' as const), isHard: index % 3 === 0 }
    }
    await worker.advance()
    await worker.finish(judgeOf(cascade, byLog))
    const dearCalls = calls.filter((id) => id === criterionUuid(cascade.dear)).length
    expect([calls.length, dearCalls]).toEqual([100, 10])
    const scan = (await app.request('get', `/v1/cascades/${cascade.id}/scans/${body.id}`)).body
    expect(scan).toMatchObject({ status: 'DONE', decided: 30, undecided: 0, unjudged: 0 })
    expect(scan.raw_fail_rate).toBeCloseTo(0.2)
    expect(scan.shares.map(({ share }: { share: number }) => share)).toEqual([2 / 3, 1 / 3])
    expect(scan.cost_usd).toBeCloseTo((90 * 1_000 + 10 * 10_000) / 1e9)
    expect(scan.corrected_fail_rate).toBeCloseTo(0.2)
    expect(scan.corrected_ci[0]).toBeLessThan(0.2)
    expect(scan.corrected_ci[1]).toBeGreaterThan(0.2)
  })

  it('lists what no judge decides for people, and does not count what the cap left out', async () => {
    const cascade = await addCascade()
    await grade(cascade, 120)
    await calibrate(cascade)
    const ids = logItems(10)
    const { body } = await app.request('post', `/v1/cascades/${cascade.id}/scan`, {})
    await worker.advance()
    await worker.finish(async (judgement) => {
      const index = ids.indexOf(judgement.item.kind === 'log' ? judgement.item.logId : '')
      if (index < 2) return answered({ failure: 'over_cap' })
      if (index < 5) return answered({ failure: 'unparseable' })
      return answered({ verdict: 'pass' })
    })
    const path = `/v1/cascades/${cascade.id}/scans/${body.id}`
    expect((await app.request('get', path)).body).toMatchObject({ decided: 5, undecided: 3, unjudged: 2 })
    const page = (await app.request('get', `${path}/undecided?limit=2`)).body
    expect([page.total, page.data.length, page.has_more]).toEqual([3, 2, true])
    const listed = (await app.request('get', `${path}/undecided`)).body.data
    expect(new Set(listed.map(({ log_id }: { log_id: string }) => log_id))).toEqual(
      new Set(ids.slice(2, 5).map((id) => publicId('log', id))),
    )
    const other = await addCascade()
    expect((await app.request('get', `/v1/cascades/${other.id}/scans/${body.id}`)).status).toBe(404)
  })
})
