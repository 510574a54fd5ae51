import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { eventually } from '@ratchet/testing/eventually'
import { adminAudit, cleanAudit } from './admin-audit.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, createJudge, type Json, sendTraffic } from './judged-traffic.ts'
import { type MountedCatalog, mountedCatalog } from './mounted-catalog.ts'
import { ratchetOf } from './ratchet-command.ts'
import { choose } from './workspace-with.ts'

/* Datasets of a teacher's answers, on a fleet. The teacher answers half of the questions right. */

let fleet: Fleet
let catalog: MountedCatalog
let pool: Pool
let api: Api

beforeAll(async () => {
  const teacher = { provider: 'sim', upstream_model: 'sim/quality-0.5' } as const
  catalog = await mountedCatalog({
    providers: [],
    models: [
      { id: 'sim/teacher', ...teacher },
      { id: 'sim/closed', ...teacher, outputs_trainable: false },
    ],
  })
  fleet = await startFleet({ judges: true, training: true, env: { CATALOG_DIR: catalog.folder } })
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
  pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 2 })
  api = apiOf(fleet, fleet.workspace)
}, 300_000)
afterAll(async () => {
  await pool?.end()
  await fleet?.stop()
  await catalog?.remove()
}, 180_000)

async function upload(count: number): Promise<string> {
  const examples = Array.from({ length: count }, (_, index) => ({
    messages: [
      { role: 'user', content: `Why does item ${index} of ${count} matter?` },
      { role: 'assistant', content: `Item ${index} matters to people.` },
    ],
  }))
  return (await api('POST', '/datasets', { name: 'prompts', examples })).json.dataset.id
}

async function distill(more: object): Promise<Json> {
  const body = { name: 'Distilled', teacher_model: 'sim/teacher', max_cost_usd: 1, ...more }
  const { status, json } = await api('POST', '/datasets/distill', body)
  return { ...json, http: status }
}

const ended = (id: string): Promise<Json> =>
  eventually(
    async () => {
      const { json } = await api('GET', `/datasets/${id}`)
      return json.status === 'building' ? null : json
    },
    { withinMs: 90_000 },
  )

/** What was charged for a dataset, USD, and for how many calls. */
async function charges(id: string) {
  const { rows } = await pool.query<{ cost: string; requests: number }>(
    `SELECT coalesce(sum(cost), 0)::text AS cost, count(*)::int AS requests FROM billing_request
     WHERE cap_id = $1 AND state = 'posted'`,
    [uuidIn(id)],
  )
  return { usd: Number(rows[0]?.cost) / 1e9, requests: rows[0]?.requests }
}

function uuidIn(id: string): string {
  return id.slice(-32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

it('asks and pays once for each answer and verdict, although its worker is killed, and keeps what the judge passes', async () => {
  const judge = await createJudge(api, 'sim/judge-0.98-0.98')
  const { id, http, status } = await distill({
    dataset_id: await upload(60),
    samples_per_prompt: 3,
    criterion_id: judge.id,
  })
  expect([http, status]).toEqual([202, 'building'])
  let worker = fleet.trainingWorker
  for (const state of ['answered', 'judged']) {
    await eventually(
      async () => {
        const { rows } = await pool.query(
          'SELECT FROM distill_sample WHERE distillation_id = $1 AND state = $2 LIMIT 10',
          [uuidIn(id), state],
        )
        return rows.length === 10
      },
      { withinMs: 60_000, everyMs: 5 },
    )
    worker.signal('SIGKILL')
    await worker.exited
    expect((await api('GET', `/datasets/${id}`)).json.status).toBe('building')
    worker = await fleet.restartTrainingWorker()
  }
  const done = await ended(id)
  const { samples, answered, judged, passed, cost_usd: cost } = done.progress
  expect([done.status, samples, answered, judged]).toEqual(['ready', 180, 180, 180])
  expect(passed).toBeGreaterThan(45)
  expect(passed).toBeLessThan(135)
  expect(done.example_count).toBeLessThanOrEqual(passed)
  expect(done.example_count).toBeGreaterThan(0)
  const { json: examples } = await api('GET', `/datasets/${id}/examples`)
  expect(JSON.stringify(examples)).not.toContain('matters to people')
  expect(done.sha256).toMatch(/^[0-9a-f]{64}$/)

  expect(await adminAudit(fleet, [fleet.workspace])).toEqual(cleanAudit)
  const { usd, requests } = await charges(id)
  expect(requests).toBe(360)
  expect(cost).toBeCloseTo(usd, 9)
  const { requests: received } = await fleet.provider.report({ model: 'sim/quality-0.5' })
  expect(received).toHaveLength(180)
}, 240_000)

it('takes prompts of the log, by a command', async () => {
  await sendTraffic(fleet, fleet.workspace, { model: 'sim/echo', count: 12, tag: 'asked' })
  const words = ['Distilled', '--teacher', 'sim/teacher', '--max-cost', '1', '--tag', 'asked']
  const ran = await ratchetOf(fleet, fleet.workspace)('datasets', 'distill', ...words)
  expect([ran.code, ran.stderr]).toEqual([0, ''])
  const [id = ''] = ran.stdout.split(' ')
  expect(ran.stdout).toBe(`${id} building: 12 answers are asked for\n`)
  const done = await ended(id)
  expect(done).toMatchObject({ status: 'ready', source: 'distill', example_count: 12 })
  expect(done.progress).toMatchObject({ samples: 12, answered: 12, judged: 0, passed: 12 })
}, 120_000)

it('does not cost more than its maximum, and keeps what there is by then', async () => {
  const { id } = await distill({ dataset_id: await upload(50), max_cost_usd: 0.01 })
  const done = await ended(id)
  expect(done).toMatchObject({ status: 'ready', status_message: expect.stringContaining('`max_cost_usd` was reached') })
  expect(done.progress.answered).toBeLessThan(50)
  expect(await adminAudit(fleet, [fleet.workspace])).toEqual(cleanAudit)
  const { usd } = await charges(id)
  expect(usd).toBeGreaterThan(0)
  expect(usd).toBeLessThanOrEqual(0.01)
}, 120_000)

it('asks a teacher whose terms forbid it only when they were acknowledged', async () => {
  const dataset_id = await upload(11)
  const refused = await distill({ dataset_id, teacher_model: 'sim/closed' })
  expect([refused.http, refused.error.code, refused.error.param]).toEqual([
    400,
    'outputs_not_trainable',
    'teacher_model',
  ])
  const { id } = await distill({ dataset_id, teacher_model: 'sim/closed', acknowledge_terms: true })
  expect(await ended(id)).toMatchObject({ status: 'ready', example_count: 11 })
}, 120_000)
