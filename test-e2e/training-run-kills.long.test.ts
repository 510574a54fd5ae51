import { randomUUID } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { eventually } from '@ratchet/testing/eventually'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { signAsCaller } from '@ratchet/testing/sign-as-caller'
import { adminAudit, cleanAudit } from './admin-audit.ts'
import { migratedDatabase, type OwnPostgres, ownPostgres, storesWith } from './faults/own-stores.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, calibrate, createJudge, gradeTruly, type Json, sendTraffic } from './judged-traffic.ts'
import { faultOrder, killerOf } from './training-faults.ts'
import { choose } from './workspace-with.ts'

/* GRPO runs, a round of RAFT and a dataset of a teacher's answers, while every process that trains, and Postgres, is killed. */

const kills = Number(process.env.TRAINING_KILLS ?? 6)
const seed = Number(process.env.TRAINING_FAULT_SEED ?? 1)
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
    hyperparameters: { groupSize: 4, promptsPerStep: 4, maxSteps: 12, loraRank: 8, learningRate: 2e-5 },
    reward: { criteria: [{ criterionId: judges.right.id }] },
    holdout: { criterionId: judges.other.id, everySteps: 6, prompts: 32 },
  })

/** Starts a round as the edge forwards it for a person. */
async function startRound(): Promise<string> {
  const path = '/session/raft/rounds'
  const { workspaceId, userId } = fleet.workspace
  const requestId = randomUUID()
  const bound = { audience: 'training', requestId, method: 'POST', path }
  const session = { id: randomUUID(), mayGrade: true, isFresh: true }
  const identity = { workspaceId, userId, role: 'owner', keyId: null, session } as const
  const [datasetId, evalDatasetId] = [await prompts('round', 40), await prompts('held out', 32)]
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
    dataset_id: await prompts('distilled', 150),
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

it(
  `ends runs, a round and a dataset, and pays for each answer and verdict once, over ${kills} kills (seed ${seed})`,
  async () => {
    const kill = killerOf(fleet, postgres)
    const things = [
      `/grpo/runs/${await startRun('one')}`,
      `/grpo/runs/${await startRun('two')}`,
      `/raft/rounds/${await startRound()}`,
      `/datasets/${await startDistillation()}`,
    ]
    const ends = ['awaiting_adoption', 'done', 'ready', 'failed', 'paused', 'cancelled']
    const allEnded = async () => (await Promise.all(things.map(statusOf))).every((status) => ends.includes(status))
    for (const fault of faultOrder(kills, seededRandom(seed))) {
      const before = await countCalls()
      // Something is asked for between two kills.
      await eventually(async () => (await countCalls()) > before + 40 || (await allEnded()), { withinMs: 90_000 })
      await kill(fault)
    }
    await eventually(allEnded, { withinMs, everyMs: 500 })
    expect(await Promise.all(things.map(statusOf))).toEqual(['awaiting_adoption', 'awaiting_adoption', 'done', 'ready'])
    const distilled = (await api('GET', things[3] ?? '')).json
    expect(distilled.progress).toMatchObject({ samples: 300, answered: 300, judged: 300 })
    expect(await adminAudit(fleet, [fleet.workspace])).toEqual(cleanAudit)
    const { rows } = await pool.query<{ cost: string }>(
      `SELECT sum(b.cost)::text AS cost FROM billing_request b JOIN distillation d ON d.id = b.cap_id WHERE b.state = 'posted'`,
    )
    expect(distilled.progress.cost_usd).toBeCloseTo(Number(rows[0]?.cost) / 1e9, 9)
  },
  withinMs + 300_000,
)
