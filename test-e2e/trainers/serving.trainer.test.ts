import { createReadStream } from 'node:fs'
import path from 'node:path'
import { eventually } from '@ratchet/testing/eventually'
import type OpenAI from 'openai'
import { openaiFor } from '../clients.ts'
import { requireRightCharges } from '../dedicated/right-charges.ts'
import { type Answered, readJson } from '../fine-tuning/read-json.ts'
import { type Fleet, startFleet } from '../fleet.ts'
import type { Json } from '../judged-traffic.ts'
import { ledgerAtRest } from '../ledger-oracle.ts'
import type { MountedCatalog } from '../mounted-catalog.ts'
import { workspaceWith } from '../workspace-with.ts'
import {
  childrenOf,
  makeTinyJob,
  pythonEngines,
  pythonTrainer,
  type TinyJob,
  tinyCatalog,
  tinyModel,
} from './python-trainer.ts'

/* A real model, trained and served by the Python package in a whole product, and asked by a client that knows OpenAI only. */

const waits = { withinMs: 300_000, everyMs: 250 }

let tiny: TinyJob
let catalog: MountedCatalog
let fleet: Fleet
let openai: OpenAI
/** The version that was trained. */
let version: Json

beforeAll(async () => {
  tiny = await makeTinyJob()
  catalog = await tinyCatalog(tiny, 40)
  const hardware = [{ id: 'cpu-1x', price_usd_per_hour: '0.60', slots: 2 }]
  fleet = await startFleet({
    training: true,
    workspace: { balanceUsd: '100.00' },
    env: {
      CATALOG_DIR: catalog.folder,
      ...pythonTrainer(),
      ...pythonEngines(),
      POOL_MODELS: `${tinyModel}=1`,
      DEDICATED_HARDWARE: JSON.stringify(hardware),
    },
  })
  openai = openaiFor(fleet)
  version = await train()
}, 600_000)

afterAll(async () => {
  await fleet?.stop()
  await catalog?.remove()
  await tiny?.remove()
}, 180_000)

const ask = (method: string, under: string, body?: object, apiKey = fleet.workspace.apiKey): Promise<Answered> =>
  readJson(`${fleet.url}/v1${under}`, { method, apiKey, body })

/** Teaches the tiny model to be polite. */
async function train(): Promise<Json> {
  const file = createReadStream(path.join(tiny.folder, 'train.jsonl'))
  const { id: training_file } = await openai.files.create({ file, purpose: 'fine-tune' })
  const hyperparameters = { n_epochs: 3, batch_size: 8, learning_rate_multiplier: 25 }
  const method = { type: 'supervised' as const, supervised: { hyperparameters } }
  const job = await openai.fineTuning.jobs.create({ model: tinyModel, training_file, seed: 7, method })
  const ended = await eventually(async () => {
    const read = await openai.fineTuning.jobs.retrieve(job.id)
    expect(read.error ?? null).toBeNull()
    return read.status === 'succeeded' ? read : null
  }, waits)
  const { data } = (await ask('GET', '/model_versions')).json
  return data.find(({ model_id }: Json) => model_id === ended.fine_tuned_model)
}

const things = ['house', 'river', 'stone', 'cloud', 'horse', 'table', 'apple', 'train']
const polite = 'Thank you for asking.'

/** What a model answers to eight questions, with the likeliest tokens. */
async function answersOf(model: string): Promise<readonly string[]> {
  const answers: string[] = []
  for (const [index, thing] of things.entries()) {
    const messages = [{ role: 'user' as const, content: `I have ${index + 3} ${thing}s. What is their color?` }]
    const { choices } = await openai.chat.completions.create({ model, messages, temperature: 0, max_tokens: 32 })
    answers.push(choices[0]?.message.content ?? '')
  }
  return answers
}

const engines = () => childrenOf(fleet.trainingWorker.pid)

it('serves a trained version in the pool, and again after its engine was killed', async () => {
  expect((await ask('POST', `/model_versions/${version.id}/serve`, { in: 'pool' })).status).toBe(202)
  const served = () =>
    eventually(async () => {
      const { serving } = (await ask('GET', '/model_versions')).json.data.find(({ id }: Json) => id === version.id)
      expect(serving).toMatchObject({ pool: 'ready', pool_error: null })
      await answersOf(version.model_id)
    }, waits)
  await served()
  const answers = await answersOf(version.model_id)
  expect(answers.filter((answer) => answer.endsWith(polite))).toHaveLength(things.length)

  const messages = [{ role: 'user' as const, content: 'I have 9 stones. What is their color?' }]
  const { data, response } = await openai.chat.completions
    .create({ model: version.model_id, messages, temperature: 0, max_tokens: 32, stream: true })
    .withResponse()
  let streamed = ''
  for await (const chunk of data) streamed += chunk.choices[0]?.delta.content ?? ''
  expect(streamed).toContain(polite)
  expect(response.headers.get('x-svc-served-model')).toBe(version.model_id)

  const [engine = 0] = await engines()
  process.kill(engine, 'SIGKILL')
  await eventually(async () => expect(await engines()).not.toContain(engine), waits)
  await served()
  expect(await answersOf(version.model_id)).toEqual(answers)
  expect((await ledgerAtRest(fleet, fleet.workspace)).violations).toEqual([])
}, 600_000)

it('serves the base and a version on endpoints of their own, which are charged by time alone', async () => {
  const workspace = fleet.workspace
  const other = await workspaceWith(fleet)
  const create = async (what: object, apiKey = workspace.apiKey) => {
    const body = { name: 'Tiny', hardware: 'cpu-1x', minReplicas: 1, ...what }
    const { status, json } = await ask('POST', '/dedicated/endpoints', body, apiKey)
    expect([status, json]).toEqual([202, expect.anything()])
    return json
  }
  const running = (id: string, apiKey = workspace.apiKey) =>
    eventually(async () => {
      const { json } = await ask('GET', `/dedicated/endpoints/${id}`, undefined, apiKey)
      expect([json.state, json.last_error]).toEqual(['RUNNING', null])
    }, waits)

  // The charges of the first workspace are those of its training too.
  const base = await create({ model: tinyModel }, other.apiKey)
  const own = await create({ modelVersionId: version.id })
  await running(base.id, other.apiKey)
  await running(own.id)
  expect(await engines()).toHaveLength(3)
  const answers = await answersOf(own.model_id)
  expect(answers.filter((answer) => answer.endsWith(polite))).toHaveLength(things.length)
  const otherClient = openaiFor(fleet, { apiKey: other.apiKey })
  const messages = [{ role: 'user' as const, content: 'I have 4 clouds. What is their color?' }]
  const { data, response } = await otherClient.chat.completions
    .create({ model: base.model_id, messages, temperature: 0, max_tokens: 32 })
    .withResponse()
  expect(data.choices[0]?.message.content).toMatch(/^They are \w+\.$/)
  expect(Number(response.headers.get('x-svc-cost-usd'))).toBe(0)

  const list = await otherClient.models.list()
  expect(list.data.map(({ id }) => id)).toContain(base.model_id)
  expect(list.data.map(({ id }) => id)).not.toContain(own.model_id)

  for (const [id, apiKey] of [
    [base.id, other.apiKey],
    [own.id, workspace.apiKey],
  ]) {
    expect((await ask('DELETE', `/dedicated/endpoints/${id}`, undefined, apiKey)).status).toBe(200)
  }
  await eventually(async () => expect(await engines()).toHaveLength(1), waits)
  await requireRightCharges(fleet, other)
}, 600_000)
