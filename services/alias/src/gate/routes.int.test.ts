import { randomUUID } from 'node:crypto'
import { uuidOf } from '@ratchet/contracts/public-id'
import { criterionId } from '../aliases/alias.fixture.ts'
import { type AliasApp, aliasApp } from '../aliases/alias-app.fixture.ts'
import { createPgCanary } from './pg-canary.ts'

let app: AliasApp

beforeAll(async () => {
  app = await aliasApp()
})

afterAll(() => app.drop())

beforeEach(async () => {
  await app.operator.query('TRUNCATE alias, alias_event, traffic_reporter CASCADE')
})

const gated = {
  name: 'support',
  target_model: 'sim/large',
  canary_model: 'sim/small',
  canary_percent: 10,
  gate_criterion_id: criterionId,
  gate_mode: 'recommend',
}

async function aliasId(): Promise<string> {
  const { rows } = await app.operator.query<{ id: string }>('SELECT id FROM alias')
  return rows[0]?.id ?? ''
}

const gate = async () => (await app.send('get', '/v1/aliases/support/gate')).body

const noAnswers = { errors: 0, cost_usd: 0, cost_usd_squared: 0, latencies: {} }

async function report(arms: readonly object[], { reporter = randomUUID(), sequence = 1 } = {}) {
  return app.send('post', '/internal/alias/traffic', { body: { reporter, sequence, arms } })
}

it('replies for an alias without a gate that there is none', async () => {
  await app.put({ name: 'support', target_model: 'sim/large' })
  expect(await gate()).toMatchObject({
    object: 'alias.gate',
    state: 'collecting',
    mode: null,
    criterion_id: null,
    shadow: null,
    difference: null,
    arms: { target: { model: 'sim/large', served: 0, ci: null }, canary: null },
    reason: 'There is no split: all requests go to one model.',
  })
})

it('adds the reports of processes, each report once', async () => {
  await app.put(gated)
  const alias_id = await aliasId()
  const one = {
    alias_id,
    epoch: 1,
    arm: 'canary',
    assigned: 4,
    served: 3,
    errors: 1,
    cost_usd: 0.02,
    cost_usd_squared: 0.0002,
    latencies: { 95: 1, 100: 1 },
  }
  const reporter = randomUUID()
  expect((await report([one], { reporter })).body).toEqual({ counted: true })
  expect((await report([one], { reporter })).body).toEqual({ counted: false })
  expect((await report([one], { reporter, sequence: 2 })).body).toEqual({ counted: true })
  await report([one])
  expect((await gate()).arms.canary).toMatchObject({ assigned: 12, served: 9, errors: 3, error_rate: 1 / 3 })
  expect((await gate()).arms.canary.avg_cost_usd).toBeCloseTo(0.01, 12)
})

it('ignores reports about an ended split and about an alias that does not exist', async () => {
  await app.put(gated)
  const arm = { alias_id: await aliasId(), arm: 'target', assigned: 5, served: 5, ...noAnswers }
  await report([{ ...arm, epoch: 1 }])
  await app.put({ ...gated, canary_percent: 20 })
  await report([{ ...arm, epoch: 1 }])
  await report([{ ...arm, epoch: 2, alias_id: randomUUID() }])
  expect((await gate()).arms.target).toMatchObject({ assigned: 0 })
  await report([{ ...arm, epoch: 2 }])
  expect((await gate()).arms.target).toMatchObject({ assigned: 5 })
})

it('keeps counts when a change does not affect the split', async () => {
  await app.put(gated)
  await report([{ alias_id: await aliasId(), epoch: 1, arm: 'target', assigned: 5, served: 5, ...noAnswers }])
  await app.put({ ...gated, description: 'Other words.', gate_rollback_threshold: 0.1 })
  expect((await gate()).arms.target).toMatchObject({ assigned: 5 })
})

it('adds concurrent reports', async () => {
  await app.put(gated)
  const alias_id = await aliasId()
  const arms = ['canary', 'target'].map((arm) => ({
    alias_id,
    epoch: 1,
    arm,
    assigned: 1,
    served: 1,
    ...noAnswers,
    latencies: { 95: 1 },
  }))
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => report(index % 2 === 0 ? arms : [...arms].reverse())),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  const { target, canary } = (await gate()).arms
  expect([target.assigned, canary.assigned]).toEqual([20, 20])
  expect(target.p95_latency_ms).toBeCloseTo(1.05 ** 95, 6)
})

it('lists the aliases whose gate uses a criterion', async () => {
  await app.put(gated)
  const path = `/internal/alias/gates?criterion_id=${criterionId}`
  expect((await app.send('get', path)).body).toEqual({ aliases: ['support'] })
  expect((await app.send('get', path, { by: randomUUID() })).body).toEqual({ aliases: [] })
  expect((await app.send('get', '/internal/alias/gates?criterion_id=none')).body).toEqual({ aliases: [] })
  expect((await app.send('get', '/internal/alias/progress')).body).toEqual({ aliases: 1 })
})

describe('the plan', () => {
  it('is in the reply to PUT, with the pace of the traffic before it', async () => {
    await app.put({ name: 'support', target_model: 'sim/large' })
    const traffic = { assigned: 600, served: 600, ...noAnswers, latencies: { 95: 600 } }
    await report([{ alias_id: await aliasId(), epoch: 1, arm: 'target', ...traffic }])
    app.clock.advance(2 * 3_600_000)
    const { body } = await app.put(gated)
    expect(body.gate_plan).toMatchObject({ scored_per_hour: 300, missing: { scored: body.gate_plan.scored } })
    expect(body.gate_plan.hours).toBeCloseTo(body.gate_plan.scored.canary / 30, 1)
    expect((await app.send('get', '/v1/aliases/support')).body.gate_plan).toBeNull()
  })

  it('is left out, with the reason, when the counts before the change cannot be read; the change is made', async () => {
    await app.put(gated)
    await app.operator.query('ALTER TABLE arm_traffic RENAME TO arm_traffic_away')
    try {
      const { status, body } = await app.put({ ...gated, gate_rollback_threshold: 0.1 })
      expect([status, body.version, body.gate_plan, body.gate_plan_missing]).toEqual([
        200,
        2,
        null,
        'counts_unavailable',
      ])
    } finally {
      await app.operator.query('ALTER TABLE arm_traffic_away RENAME TO arm_traffic')
    }
    expect((await app.put(gated)).body).toMatchObject({ gate_plan: expect.any(Object), gate_plan_missing: null })
  })

  it('of a new alias has no time, and an alias without a gate has no plan', async () => {
    expect((await app.put(gated)).body.gate_plan).toMatchObject({ hours: null, fits_window: null })
    expect((await app.put({ name: 'other', target_model: 'sim/large' })).body.gate_plan).toBeNull()
  })

  it('is in the reply about a running gate, with what is missing', async () => {
    await app.put(gated)
    const { plan } = await gate()
    expect(plan.missing.scored).toEqual(plan.scored)
    expect(plan.assumed).toEqual({ fail_rate: 0.1, tpr: 0.97, tnr: 0.97, power: 0.8 })
  })

  it('can be read for other settings before they are set', async () => {
    await app.put({ name: 'support', target_model: 'sim/large', gate_criterion_id: criterionId })
    const plan = async (query: string) => (await app.send('get', `/v1/aliases/support/gate/plan?${query}`)).body.plan
    const [wide, strict] = [
      await plan('canary_percent=50'),
      await plan('canary_percent=50&gate_rollback_threshold=0.03'),
    ]
    expect(strict.scored.canary).toBeGreaterThan(2 * wide.scored.canary)
    expect((await plan('fail_rate=0.3')).assumed.fail_rate).toBe(0.3)
    const { target, canary } = wide.missing.scored
    expect(wide.cost).toMatchObject({ usd_per_verdict: 0.002, usd_per_verdict_from: 'verdicts', mirroring_usd: 0 })
    expect(wide.cost.judging_usd).toBeCloseTo((target + canary) * 0.002, 10)
    const refused = await app.send('get', '/v1/aliases/support/gate/plan?canary_percent=100')
    expect([refused.status, refused.body.error.param]).toEqual([400, 'canary_percent'])
    const foreign = await app.send('get', '/v1/aliases/support/gate/plan', { by: randomUUID() })
    expect(foreign.status).toBe(404)
  })
})

describe('answers to grade', () => {
  const next = async (by?: string) =>
    app.send('get', '/v1/aliases/support/gate/next_to_grade?limit=8', by === undefined ? {} : { by })

  it('are drawn from both arms, and nothing of a reply tells arm or verdict', async () => {
    await app.put(gated)
    const text = `INSERT INTO canary_sample (alias_id, epoch, log_id, arm, state, verdict, created_at)
      SELECT $1, 1, gen_random_uuid(), (CASE WHEN n % 2 = 0 THEN 'canary' ELSE 'target' END)::arm, 'done',
        CASE WHEN n % 10 < 2 THEN 'fail' ELSE 'pass' END, now() FROM generate_series(1, 200) AS n`
    await app.operator.query(text, [await aliasId()])
    const { body } = await next()
    expect(body.criterion_id).toBe(criterionId)
    expect(body.data).toHaveLength(8)
    for (const each of body.data) {
      // Strata differ in size, so a probability would name the stratum.
      expect(each).toEqual({ log_id: expect.stringMatching(/^log_/), trace_id: null })
    }
    const { rows } = await app.operator.query<{ arm: string; verdict: string; probability: number }>(
      `SELECT DISTINCT arm, verdict, draw_probability AS probability FROM canary_sample WHERE draw_probability > 0`,
    )
    expect(new Set(rows.map(({ probability }) => probability)).size).toBeGreaterThan(1)
    expect((await next()).body).toEqual(body)
    expect((await next(randomUUID())).status).toBe(404)
  })

  it('count when they are graded, and other grades do not, whatever they state', async () => {
    await app.put(gated)
    const id = await aliasId()
    const text = `INSERT INTO canary_sample (alias_id, epoch, log_id, arm, state, verdict, created_at)
      SELECT $1, 1, gen_random_uuid(), (CASE WHEN n % 2 = 0 THEN 'canary' ELSE 'target' END)::arm, 'done', 'pass', now()
      FROM generate_series(1, 40) AS n`
    await app.operator.query(text, [id])
    const { body } = await next()
    const drawn = new Set(body.data.map((each: { log_id: string }) => uuidOf('log', each.log_id)))
    const { rows } = await app.operator.query<{ log_id: string }>('SELECT log_id FROM canary_sample')
    const grades = rows.map(({ log_id: logId }) => ({
      logId,
      grade: 'pass' as const,
      probability: null,
      skipProbability: null,
    }))
    await createPgCanary(app.operator).saveGrades(
      { id, epoch: { number: 1, startedAt: app.clock.now() } },
      grades,
      app.clock.now(),
    )
    const counted = await app.operator.query<{ log_id: string }>(
      'SELECT log_id FROM canary_sample WHERE grade_probability > 0',
    )
    expect(new Set(counted.rows.map(({ log_id: logId }) => logId))).toEqual(drawn)
  })

  it('are runs for a judge of runs, whose draws are on record too', async () => {
    await app.put(gated)
    const id = await aliasId()
    const text = `INSERT INTO canary_sample (alias_id, epoch, log_id, arm, state, verdict, cluster, created_at)
      SELECT $1, 1, gen_random_uuid(), (CASE WHEN n % 2 = 0 THEN 'canary' ELSE 'target' END)::arm, 'done', 'pass', 'run ' || n, now()
      FROM generate_series(1, 40) AS n`
    await app.operator.query(text, [id])
    await app.operator.query(
      `UPDATE alias SET gate_judge = jsonb_set(gate_judge::jsonb, '{unit}', '"trace"') WHERE id = $1`,
      [id],
    )
    const { body } = await next()
    const { rows } = await app.operator.query<{ cluster: string }>(
      'SELECT cluster FROM canary_sample WHERE draw_probability > 0 ORDER BY cluster',
    )
    expect(body.data.map((each: { log_id: string | null }) => each.log_id)).toEqual(Array(8).fill(null))
    expect(rows.map(({ cluster }) => cluster)).toEqual(
      body.data.map((each: { trace_id: string }) => each.trace_id).toSorted(),
    )
  })

  it('are none without a gate', async () => {
    await app.put({ name: 'support', target_model: 'sim/large' })
    expect((await next()).body).toEqual({ object: 'list', criterion_id: null, data: [] })
  })
})
