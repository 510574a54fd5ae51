import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { uuidOf } from '@ratchet/contracts/public-id'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { createDemoWorkspace, type DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { toFile } from 'openai'
import { openaiFor } from '../clients.ts'
import { readJson } from '../fine-tuning/read-json.ts'
import { type Fleet, startFleet } from '../fleet.ts'
import type { Json } from '../judged-traffic.ts'
import { ledgerAtRest } from '../ledger-oracle.ts'
import type { MountedCatalog } from '../mounted-catalog.ts'
import { workspaceWith } from '../workspace-with.ts'
import { childrenOf, makeTinyJob, pythonTrainer, type TinyJob, tinyCatalog, tinyModel } from './python-trainer.ts'

/* The Python trainer in the whole product: jobs over the API, and processes that are killed. */

const jobsPath = '/v1/fine_tuning/jobs'
const priceUsdPerMtok = 40
const waits = { withinMs: 420_000, everyMs: 250 }

let tiny: TinyJob
let catalog: MountedCatalog
let fleet: Fleet
let database: Pool

beforeAll(async () => {
  tiny = await makeTinyJob()
  catalog = await tinyCatalog(tiny, priceUsdPerMtok)
  fleet = await startFleet({ training: true, env: { CATALOG_DIR: catalog.folder, ...pythonTrainer() } })
  database = connectPool({ databaseUrl: fleet.databaseUrl, max: 2 })
}, 300_000)

afterAll(async () => {
  await database?.end()
  await fleet?.stop()
  await catalog?.remove()
  await tiny?.remove()
}, 180_000)

async function upload(owner: DemoWorkspace, content: Buffer): Promise<string> {
  const file = await toFile(content, 'train.jsonl')
  return (await openaiFor(fleet, owner).files.create({ file, purpose: 'fine-tune' })).id
}

/** Creates a job, and returns it. */
async function create({ apiKey }: DemoWorkspace, trainingFile: string): Promise<Json> {
  const hyperparameters = { nEpochs: 1, batchSize: 8, loraRank: 8, learningRate: 5e-3 }
  const method = { type: 'supervised', supervised: { hyperparameters } }
  const body = { model: tinyModel, trainingFile, seed: 7, nCheckpoints: 6, method }
  const { status, json } = await readJson(`${fleet.url}${jobsPath}`, { method: 'POST', apiKey, body })
  expect([status, json]).toEqual([200, expect.anything()])
  return json
}

async function read(id: string, { apiKey }: DemoWorkspace): Promise<Json> {
  return (await readJson(`${fleet.url}${jobsPath}/${id}`, { method: 'GET', apiKey })).json
}

/** Waits for the end of a job, and returns it. */
async function ended(id: string, owner: DemoWorkspace): Promise<Json> {
  return eventually(async () => {
    const job = await read(id, owner)
    return job.finished_at === null ? null : job
  }, waits)
}

const checkpointsStatement = `
  SELECT step, trained_tokens, manifest FROM checkpoint WHERE job_id = $1 AND durable_at IS NOT NULL ORDER BY step`

interface Checkpoint {
  readonly step: number
  readonly trained_tokens: string
  readonly manifest: string
}

async function checkpoints(id: string): Promise<readonly Checkpoint[]> {
  return (await database.query<Checkpoint>(checkpointsStatement, [uuidOf('fineTuningJob', id)])).rows
}

const has = (id: string, count: number) =>
  eventually(async () => expect((await checkpoints(id)).length).toBeGreaterThanOrEqual(count), waits)

/** Hashes of the files of a model, by name. */
function modelOf({ manifest }: Checkpoint): object {
  const files = JSON.parse(manifest) as readonly { name: string; kind: string; sha256: string }[]
  return Object.fromEntries(files.filter(({ kind }) => kind === 'adapter').map(({ name, sha256 }) => [name, sha256]))
}

/** The cost of so many tokens: in whole micro-dollars, rounded up once. */
const costNano = (tokens: number) => BigInt(Math.ceil(tokens * priceUsdPerMtok)) * 1_000n

it('ends bit-equal, and costs the same to the nano-dollar, when its trainer and its worker are killed', async () => {
  const workspace = await workspaceWith(fleet)
  const file = await upload(workspace, await readFile(path.join(tiny.folder, 'train.jsonl')))
  const { id: undisturbed } = await create(workspace, file)
  const reference = await ended(undisturbed, workspace)
  expect(reference).toMatchObject({ status: 'succeeded', attempts: 0, error: null })

  const { id: disturbed } = await create(workspace, file)
  await has(disturbed, 1)
  const [trainer = 0] = await childrenOf(fleet.trainingWorker.pid)
  process.kill(trainer, 'SIGKILL')
  await eventually(async () => expect((await read(disturbed, workspace)).attempts).toBe(1), waits)
  await has(disturbed, 3)
  fleet.trainingWorker.signal('SIGKILL')
  await fleet.trainingWorker.exited
  await fleet.add('training-worker')
  const job = await ended(disturbed, workspace)
  expect(job.status).toBe('succeeded')
  // Where nothing gets the processor for half a minute, the lease of another attempt ends too.
  expect(job.attempts).toBeGreaterThanOrEqual(1)

  const [expected, found] = [await checkpoints(undisturbed), await checkpoints(disturbed)]
  expect(expected).toHaveLength(6)
  expect(found.map(({ step }) => step)).toEqual(expected.map(({ step }) => step))
  expect(found.map(modelOf)).toEqual(expected.map(modelOf))
  expect(job.trained_tokens).toBe(reference.trained_tokens)
  const cost = costNano(reference.trained_tokens)
  expect([reference.cost_usd, job.cost_usd]).toEqual([Number(cost) / 1e9, Number(cost) / 1e9])
  const ledger = await ledgerAtRest(fleet, workspace)
  expect([ledger.charged, ledger.held, ledger.violations]).toEqual([2n * cost, 0n, []])

  // What was charged is what the tokenizer of the model counts, and not the estimate.
  const { data_report: report } = job
  expect(job).toMatchObject({ tokens_exact: true, trained_tokens: report.tokens, training_tokens: report.tokens })
  expect(report).toMatchObject({ stop_token_trained: true, template_sha256: tiny.templateSha256 })
  const all = tiny.tokens.reduce((sum, each) => sum + each, 0)
  expect(report.tokens).toBeGreaterThan(0.8 * all)
  expect(report.tokens).toBeLessThanOrEqual(all)
}, 900_000)

/** Letters that the tokenizer has never seen: a token for each byte, four times what is estimated. */
const foreign = Array.from({ length: 40 }, (_, index) => {
  const messages = [
    { role: 'user', content: `Какого цвета дом ${index}?` },
    { role: 'assistant', content: `Дом ${index} красного цвета.` },
  ]
  return JSON.stringify({ messages })
}).join('\n')

it('fails before step 1 with insufficient_balance, and costs nothing, when only the estimate is covered', async () => {
  const owner = await createDemoWorkspace(fleet.databaseUrl, { balanceUsd: '0.08' })
  const created = await create(owner, await upload(owner, Buffer.from(foreign)))
  expect(created.held_usd).toBeLessThan(0.08)
  const job = await ended(created.id, owner)
  expect(job).toMatchObject({ status: 'failed', error: { code: 'insufficient_balance' }, cost_usd: 0, attempts: 0 })
  expect(job.estimated_cost_usd).toBeGreaterThan(0.08)
  const ledger = await ledgerAtRest(fleet, owner)
  expect([ledger.charged, ledger.balance, ledger.violations]).toEqual([0n, 80_000_000n, []])
}, 300_000)
