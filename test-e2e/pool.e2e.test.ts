import path from 'node:path'
import { repositoryRoot } from '@ratchet/infra/fleet/data-paths'
import { eventually } from '@ratchet/testing/eventually'
import type OpenAI from 'openai'
import { openaiFor, postChat } from './clients.ts'
import { type Answered, readJson } from './fine-tuning/read-json.ts'
import { type Fleet, startFleet } from './fleet.ts'
import type { Json } from './judged-traffic.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import { type TrainedVersion, trainVersions } from './pool/train-versions.ts'
import { keepAsking, wordsOf } from './serving/keep-asking.ts'
import { childrenOf } from './trainers/python-trainer.ts'

/* Versions in the pool: trained, proven on four engines, asked by a stock client and through an alias, while engines are killed. */

const base = 'sim/small'
const engines = 4
const waits = { withinMs: 60_000, everyMs: 200 }

let fleet: Fleet
let openai: OpenAI
let versions: readonly TrainedVersion[]

beforeAll(async () => {
  const script = path.join(repositoryRoot, 'test-e2e/pool/scripted-engine.ts')
  fleet = await startFleet({
    training: true,
    aliases: true,
    workspace: { balanceUsd: '100.00' },
    env: {
      SIM_JOB_MS: '100',
      ENGINES: 'process',
      ENGINE_COMMAND: `${process.execPath},${script}`,
      POOL_MODELS: `${base}=${engines}`,
      POOL_COPIES: String(engines),
    },
  })
  openai = openaiFor(fleet)
  versions = await trainVersions(fleet, base)
}, 300_000)
afterAll(() => fleet?.stop(), 120_000)

const ask = (method: string, under: string, body?: object): Promise<Answered> =>
  readJson(`${fleet.url}/v1${under}`, { method, apiKey: fleet.workspace.apiKey, body })

const messages = [{ role: 'user' as const, content: 'Where is my parcel?' }]

async function say(model: string): Promise<string | null> {
  return (await openai.chat.completions.create({ model, messages })).choices[0]?.message.content ?? null
}

const pids = () => childrenOf(fleet.trainingWorker.pid)

it('is served by engines that have proven it, and by no other, while these are killed', async () => {
  const [first, second] = versions as [TrainedVersion, TrainedVersion]
  expect(first.weights).not.toBe(second.weights)
  for (const each of versions) expect((await ask('POST', `${each.path}/serve`, { in: 'pool' })).status).toBe(202)
  await eventually(async () => {
    const { data } = (await ask('GET', '/model_versions')).json
    expect(data.map(({ serving }: Json) => [serving.pool, serving.pool_error])).toEqual(
      versions.map(() => ['ready', null]),
    )
  }, waits)
  // The simulated provider answers until inference has read the routes.
  await eventually(async () => expect(await say(first.model)).toBe(first.weights), waits)
  await eventually(async () => expect(await say(second.model)).toBe(second.weights), waits)

  const { headers } = await postChat(fleet, { model: first.model })
  expect(headers.get('x-svc-served-model')).toBe(first.model)
  expect(Number(headers.get('x-svc-cost-usd'))).toBeGreaterThan(0)
  const alias = await ask('PUT', '/aliases', { name: 'parcels', target_model: first.model })
  expect(alias.status).toBe(200)
  await eventually(async () => expect(await say('parcels')).toBe(first.weights), waits)

  const clients = [first, second].map((each) => ({ each, asking: keepAsking(openai, each.model) }))
  const throughAlias = { each: first, asking: keepAsking(openai, 'parcels') }
  await eventually(async () => expect(clients[0]?.asking.said.length).toBeGreaterThan(5), waits)
  const before = await pids()
  expect(before).toHaveLength(engines)
  for (const pid of before.slice(0, engines / 2)) process.kill(pid, 'SIGKILL')
  await eventually(async () => {
    const now = await pids()
    expect(now).toHaveLength(engines)
    expect(now.filter((pid) => before.includes(pid))).toHaveLength(engines / 2)
  }, waits)
  const counts = [...clients, throughAlias].map(({ asking }) => asking.said.length)
  await eventually(async () => {
    for (const [index, { asking }] of [...clients, throughAlias].entries()) {
      expect(asking.said.length).toBeGreaterThan((counts[index] ?? 0) + 10)
    }
  }, waits)
  for (const { each, asking } of [...clients, throughAlias]) {
    await asking.stop()
    // A stream that was killed in its middle is shorter, and no other weights have spoken in it.
    expect(wordsOf(asking)).toEqual([each.weights])
    // Streams of the two engines that were killed, and what was asked before their routes were gone.
    expect(asking.failures.length).toBeLessThanOrEqual(3 * engines)
  }

  expect((await ask('DELETE', `${second.path}/serve`)).status).toBe(202)
  await eventually(async () => expect(await say(second.model)).not.toBe(second.weights), waits)
  expect(await say(first.model)).toBe(first.weights)
  expect((await ledgerAtRest(fleet, fleet.workspace)).violations).toEqual([])
}, 240_000)
