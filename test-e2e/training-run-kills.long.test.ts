import { randomUUID } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { eventually } from '@ratchet/testing/eventually'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { signAsCaller } from '@ratchet/testing/sign-as-caller'
import { adminAudit, cleanAudit } from './admin-audit.ts'
import { faultOrder } from './fault-order.ts'
import { migratedDatabase, type OwnPostgres, ownPostgres, storesWith } from './faults/own-stores.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, calibrate, createJudge, gradeTruly, type Json, sendTraffic } from './judged-traffic.ts'
import { killerOf, trainingFaults } from './training-faults.ts'
import { choose } from './workspace-with.ts'

/* GRPO runs, a round of RAFT and a dataset of a teacher's answers, while every process that trains, and Postgres, is killed. */

const kills = Number(process.env.TRAINING_KILLS ?? 4)
const seed = Number(process.env.TRAINING_FAULT_SEED ?? 1)
/** Answers that say nothing, which the judge of a reward is asked about before its run. */
const masterKeys = 40
/** Of a run. */
const maxSteps = 8
const withinMs = 120_000 + kills * 40_000

let fleet: Fleet
let pool: Pool
let postgres: OwnPostgres
let api: Api
const judges: Record<'right' | 'other', Json> = { right: null, other: null }
const undo: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  const onStop = (step: () => Promise<unknown>) => void undo.push(step)
  postgres = await ownPostgres(onStop)
  const databaseUrl = await migratedDatabase(postgres)
  const stores = await storesWith(onStop, { databaseUrl })
  const env = { ABUSE_GUARD_LIMIT: '100000', SIM_JOB_MS: '4000' }
  fleet = await startFleet({ judges: true, training: true, stores, env, workspace: { balanceUsd: '100.00' } })
  pool = connectPool({ databaseUrl, max: 2 })
  pool.on('error', () => undefined)
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
  api = apiOf(fleet, fleet.workspace)
  const traffic = { model: 'sim/quality-0.5', count: 300, tag: 'graded' }
  await gradeTruly(api, await sendTraffic(fleet, fleet.workspace, traffic))
  for (const [name, model] of [
    ['right', 'sim/judge-1-1'],
    ['other', 'sim-anthropic/judge-1-1'],
  ] as const) {
    judges[name] = await createJudge(api, model, { name, population: 'graded' })
    expect(await calibrate(api, judges[name].id)).toMatchObject({ can_act: true })
  }
}, 300_000)
afterAll(async () => {
  await pool?.end()
  await fleet?.stop()
  for (const step of undo.splice(0).reverse()) await step()
}, 180_000)

async function prompts(name: string, count: number): Promise<string> {
  const examples = Array.from({ length: count }, (_, index) => ({
    messages: [
      { role: 'user', content: `${name}: where is parcel ${index}, which was sent on day ${index}?` },
      { role: 'assistant', content: 'It is on its way.' },
    ],
  }))
  return (await api('POST', '/datasets', { name, examples })).json.dataset.id
}

async function started(path: string, body: object): Promise<string> {
  const { status, json, text } = await api('POST', path, body)
  if (status !== 202) throw new Error(`${status}: ${text}`)
  return json.id
}

const startRun = async (name: string) =>
  started('/grpo/runs', {
    name,
    baseModel: 'sim/small',
    datasetId: await prompts(name, 400),
    maxCostUsd: 5,
    hyperparameters: { groupSize: 4, promptsPerStep: 4, maxSteps, loraRank: 8, learningRate: 2e-5 },
    reward: { criteria: [{ criterionId: judges.right.id }] },
    holdout: { criterionId: judges.other.id, everySteps: 4, prompts: 32 },
  })

/** Starts a round as the edge forwards it for a person. */
async function startRound(): Promise<string> {
  const path = '/session/raft/rounds'
  const { workspaceId, userId } = fleet.workspace
  const requestId = randomUUID()
  const bound = { audience: 'training', requestId, method: 'POST', path }
  const session = { id: randomUUID(), mayGrade: true, isFresh: true }
  const identity = { workspaceId, userId, role: 'owner', keyId: null, session } as const
  const [datasetId, evalDatasetId] = [await prompts('round', 24), await prompts('held out', 32)]
  const answer = await fetch(`${fleet.training.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [requestIdHeader]: requestId,
      [identityHeader]: signAsCaller(fleet.keyFor('training'), bound, identity, Date.now()),
    },
    body: JSON.stringify({
      baseModel: 'sim/small',
      datasetId,
      evalDatasetId,
      criterionId: judges.right.id,
      minPrecision: 0.5,
      maxCostUsd: 5,
      seed: 5,
    }),
  })
  const json: Json = await answer.json()
  if (answer.status !== 202) throw new Error(JSON.stringify(json))
  return json.id
}

const startDistillation = async () =>
  started('/datasets/distill', {
    name: 'Distilled',
    teacher_model: 'sim/quality-0.5',
    dataset_id: await prompts('distilled', 60),
    samples_per_prompt: 2,
    criterion_id: judges.right.id,
    max_cost_usd: 2,
  })

const statusOf = async (path: string): Promise<string> => (await api('GET', path)).json?.status

/** Calls of models that were charged; of all purposes. */
async function countCalls(): Promise<number> {
  const { rows } = await pool.query<{ calls: number }>('SELECT count(*)::int AS calls FROM billing_request')
  return rows[0]?.calls ?? 0
}

interface Charged {
  /** Calls of models, and what they cost, nano-dollars. */
  readonly calls: number
  readonly calls_nano: string
  /** What the training cost. */
  readonly job_nano: string
}

/** What the ledger has charged under the maximum of a run, round or dataset, and for its training. */
async function chargedFor(path: string): Promise<Charged> {
  const id = path.slice(-32)
  const { rows } = await pool.query<Charged>(
    `SELECT count(*) FILTER (WHERE b.cap_id = $1::uuid)::int AS calls,
       coalesce(sum(b.cost) FILTER (WHERE b.cap_id = $1::uuid), 0)::text AS calls_nano,
       coalesce(sum(b.cost) FILTER (WHERE b.job_id IN ($1::uuid, r.job_id)), 0)::text AS job_nano
     FROM billing_request b LEFT JOIN raft_round r ON r.id = $1::uuid WHERE b.state = 'posted'`,
    [id],
  )
  if (rows[0] === undefined) throw new Error('no charges')
  return rows[0]
}

async function countRows(statement: string, path: string): Promise<number> {
  const { rows } = await pool.query<{ rows: number }>(statement, [path.slice(-32)])
  return rows[0]?.rows ?? 0
}

const nano = (usd: number) => String(Math.round(usd * 1e9))
const ends = ['awaiting_adoption', 'done', 'ready', 'failed', 'paused', 'cancelled']

const judgedStatement = `
  SELECT count(*)::int AS rows FROM grpo_verdict v JOIN grpo_rollout o ON o.id = v.rollout_id WHERE o.run_id = $1`

/** A judge was asked once about each answer, and before the run about each that says nothing. */
async function expectRunPaidOnce(path: string): Promise<void> {
  const { json: run } = await api('GET', path)
  expect(run).toMatchObject({ status: 'awaiting_adoption', progress: { step: maxSteps }, held_usd: 0 })
  const verdicts = await countRows(judgedStatement, path)
  expect(await chargedFor(path)).toEqual({
    calls: verdicts + masterKeys,
    calls_nano: nano(run.judge_cost_usd),
    job_nano: nano(run.cost_usd),
  })
}

/** Every answer was asked for once, and judged once. */
async function expectRoundPaidOnce(path: string): Promise<void> {
  const { json: round } = await api('GET', path)
  expect(round.status).toBe('done')
  const samples = await countRows('SELECT count(*)::int AS rows FROM raft_sample WHERE round_id = $1', path)
  const { calls, calls_nano, job_nano } = await chargedFor(path)
  expect(calls).toBe(2 * samples)
  expect(String(BigInt(calls_nano) + BigInt(job_nano))).toBe(nano(round.cost_usd))
}

async function expectDatasetPaidOnce(path: string): Promise<void> {
  const { json: distilled } = await api('GET', path)
  expect(distilled).toMatchObject({ status: 'ready', progress: { samples: 120, answered: 120, judged: 120 } })
  const { calls, calls_nano } = await chargedFor(path)
  expect([calls, calls_nano]).toEqual([240, nano(distilled.progress.cost_usd)])
}

it(
  `ends runs, a round and a dataset, and pays for each answer and verdict once, over ${kills} kills (seed ${seed})`,
  async () => {
    const kill = killerOf(fleet, postgres)
    const runs = [`/grpo/runs/${await startRun('one')}`, `/grpo/runs/${await startRun('two')}`]
    const round = `/raft/rounds/${await startRound()}`
    const dataset = `/datasets/${await startDistillation()}`
    const things = [...runs, round, dataset]
    const allEnded = async () => (await Promise.all(things.map(statusOf))).every((status) => ends.includes(status))
    for (const fault of faultOrder(trainingFaults, kills, seededRandom(seed))) {
      const before = await countCalls()
      // Something is asked for between two kills.
      await eventually(async () => (await countCalls()) > before + 30, { withinMs: 90_000 })
      expect(await allEnded()).toBe(false)
      await kill(fault)
    }
    await eventually(allEnded, { withinMs, everyMs: 500 })
    for (const run of runs) await expectRunPaidOnce(run)
    await expectRoundPaidOnce(round)
    await expectDatasetPaidOnce(dataset)
    expect(await adminAudit(fleet, [fleet.workspace])).toEqual(cleanAudit)
  },
  withinMs + 300_000,
)
