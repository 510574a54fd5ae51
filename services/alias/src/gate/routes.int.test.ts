import { randomUUID } from 'node:crypto'
import { criterionId } from '../aliases/alias.fixture.ts'
import { type AliasApp, aliasApp } from '../aliases/alias-app.fixture.ts'

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
