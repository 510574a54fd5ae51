import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { adminAudit, cleanAudit } from './admin-audit.ts'
import { faultOrder } from './fault-order.ts'
import { migratedDatabase, type OwnPostgres, ownPostgres, storesWith } from './faults/own-stores.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, type Json } from './judged-traffic.ts'
import { killerOf, trainingFaults } from './training-faults.ts'
import { workspaceWith } from './workspace-with.ts'

/* Many jobs of several workspaces, while every process that trains, and Postgres, is killed again and again. */

/** Jobs, kills meanwhile, and what decides their order. */
const jobs = Number(process.env.TRAINING_JOBS ?? 1_000)
const kills = Number(process.env.TRAINING_KILLS ?? 8)
const seed = Number(process.env.TRAINING_FAULT_SEED ?? 1)
const withinMs = 60_000 + jobs * 400 + kills * 40_000

const examples = 20
const finals = ['succeeded', 'failed', 'cancelled']

let fleet: Fleet
let pool: Pool
let postgres: OwnPostgres
let workspaces: readonly Training[]
const undo: (() => Promise<unknown>)[] = []

interface Training extends DemoWorkspace {
  readonly api: Api
  readonly datasetId: string
  /** Ids that its requests were answered with. */
  readonly created: Set<string>
}

beforeAll(async () => {
  const onStop = (step: () => Promise<unknown>) => void undo.push(step)
  postgres = await ownPostgres(onStop)
  const databaseUrl = await migratedDatabase(postgres)
  const stores = await storesWith(onStop, { databaseUrl })
  const env = { ABUSE_GUARD_LIMIT: '100000', SIM_JOB_MS: '50', SIM_SLOTS: '24' }
  fleet = await startFleet({ training: true, stores, env })
  pool = connectPool({ databaseUrl, max: 2 })
  pool.on('error', () => undefined)
  workspaces = await Promise.all(Array.from({ length: 4 }, trainingWorkspace))
}, 300_000)
afterAll(async () => {
  await pool?.end()
  await fleet?.stop()
  for (const step of undo.splice(0).reverse()) await step()
}, 180_000)

async function trainingWorkspace(): Promise<Training> {
  const workspace = await workspaceWith(fleet)
  const api = apiOf(fleet, workspace)
  const lines = Array.from({ length: examples }, (_, index) => ({
    messages: [
      { role: 'user', content: `Where is parcel ${index}? It was sent on day ${index} of the month.` },
      { role: 'assistant', content: `Parcel ${index} is on its way, and comes within three days.` },
    ],
  }))
  const { json } = await api('POST', '/datasets', { name: 'parcels', examples: lines })
  return { ...workspace, api, datasetId: json.dataset.id, created: new Set() }
}

/** Asks for a job until it is created. What it asks for is the same each time, so there is one job. */
async function createJob({ apiKey, datasetId, created }: Training): Promise<void> {
  const key = randomUUID()
  const hyperparameters = { n_epochs: 1 }
  const body = JSON.stringify({
    model: 'sim/small',
    datasetId,
    seed: 7,
    nCheckpoints: 1,
    method: { type: 'supervised', supervised: { hyperparameters } },
  })
  const job: Json = await eventually(
    async () => {
      const answer = await fetch(`${fleet.url}/v1/fine_tuning/jobs`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': key },
        body,
      })
      const json: Json = await answer.json()
      if (answer.status === 200) return json
      throw new Error(`${answer.status} ${JSON.stringify(json)}`)
    },
    { withinMs: 120_000, everyMs: 300 },
  )
  created.add(job.id)
}

/** Creates all jobs, some at a time. */
async function createAll(): Promise<void> {
  const waiting = Array.from({ length: jobs }, (_, index) => workspaces[index % workspaces.length] as Training)
  const work = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await createJob(next)
  }
  await Promise.all(Array.from({ length: 8 }, work))
}

/** Jobs that have ended; of all workspaces. */
async function countEnded(): Promise<number> {
  const { rows } = await pool.query<{ ended: number }>(
    'SELECT count(*)::int AS ended FROM training_job WHERE status::text = ANY($1)',
    [finals],
  )
  return rows[0]?.ended ?? 0
}

/** Kills something each time that another part of the jobs has ended. */
async function killThroughout(): Promise<void> {
  const kill = killerOf(fleet, postgres)
  for (const [index, fault] of faultOrder(trainingFaults, kills, seededRandom(seed)).entries()) {
    const due = Math.floor((jobs * (index + 0.5)) / (kills + 1))
    await eventually(async () => (await countEnded()) >= due, { withinMs, everyMs: 50 })
    await kill(fault)
  }
}

it(
  `ends ${jobs} jobs once, charges each once and holds nothing, over ${kills} kills (seed ${seed})`,
  async () => {
    await Promise.all([createAll(), killThroughout()])
    await eventually(async () => (await countEnded()) === jobs, { withinMs, everyMs: 500 })

    const { rows: stored } = await pool.query<{ id: string; status: string; held: string; cost: string }>(
      'SELECT id, status::text, held_nano::text AS held, cost_nano::text AS cost FROM training_job',
    )
    const answered = new Set(workspaces.flatMap(({ created }) => [...created]))
    expect(new Set(stored.map(({ id }) => `ftjob-${id.replaceAll('-', '')}`))).toEqual(answered)
    expect(answered.size).toBe(jobs)
    expect(new Set(stored.map(({ status, held }) => `${status} ${held}`))).toEqual(new Set(['succeeded 0']))
    // All jobs train on the same tokens, so each costs the same, and has one version and one settled cost.
    expect(new Set(stored.map(({ cost }) => cost)).size).toBe(1)
    const { rows: doubled } = await pool.query(
      `SELECT j.id FROM training_job j
       WHERE (SELECT count(*) FROM model_version v WHERE v.job_id = j.id) <> 1
          OR (SELECT coalesce(sum(b.cost), 0) FROM billing_request b WHERE b.job_id = j.id AND b.state = 'posted') <> j.cost_nano
          OR EXISTS (SELECT FROM billing_request b WHERE b.job_id = j.id AND b.state = 'open')`,
    )
    expect(doubled).toEqual([])
    expect(await adminAudit(fleet, workspaces)).toEqual(cleanAudit)
  },
  withinMs + 120_000,
)
