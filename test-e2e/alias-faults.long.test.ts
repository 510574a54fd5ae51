import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { staysTrueFor } from '@ratchet/testing/stays-true-for'
import { untilInForce } from './alias-propagation.ts'
import { postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, calibrate, createJudge, gradeTruly, type Json, sendTraffic } from './judged-traffic.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import type { FleetProcess } from './start-process.ts'
import { workspaceWith } from './workspace-with.ts'

/** Decides the order of the faults. */
const seed = Number(process.env.ALIAS_FAULT_SEED ?? 1)

let fleet: Fleet
let workspace: DemoWorkspace
let api: Api
let judge: Json
/** The processes that run now. */
let alias: FleetProcess
let aliasWorker: FleetProcess
let judgingWorker: FleetProcess

beforeAll(async () => {
  const env = { GATE_EVERY_MS: '300', GATE_INGEST_LAG_MS: '300', ABUSE_GUARD_LIMIT: '10000' }
  fleet = await startFleet({ judges: true, aliases: true, env })
  ;({ alias, aliasWorker, judgingWorker } = fleet)
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
  judge = await createJudge(api, 'sim/judge-0.98-0.98', { online_percent: 100 })
  await gradeTruly(api, await sendTraffic(fleet, workspace, { model: 'sim/quality-0.5', count: 400, from: 900_000 }))
  expect(await calibrate(api, judge.id)).toMatchObject({ status: 'DONE', trust: 'trustworthy' })
}, 300_000)
afterAll(() => fleet?.stop(), 180_000)

async function put(requested: object): Promise<void> {
  const { status, text } = await api('PUT', '/aliases', requested)
  if (status !== 200) throw new Error(`${status}: ${text}`)
}

let asked = 0

async function ask(model: string): Promise<{ readonly status: number; readonly served: string | null }> {
  asked += 1
  const content = `Question ${asked}: why does item ${asked} of the list matter?`
  const response = await postChat(fleet, { model, content, apiKey: workspace.apiKey, body: { max_tokens: 64 } })
  await response.text()
  return { status: response.status, served: response.headers.get('x-svc-served-model') }
}

const gate = async (name: string): Promise<Json> => (await api('GET', `/aliases/${name}/gate`)).json

/** Each fault is undone before its function returns, so that the next one begins with a complete fleet. */
const faults: Readonly<Record<string, () => Promise<void>>> = {
  'the worker is killed': async () => {
    aliasWorker = await killed(aliasWorker, fleet.restartAliasWorker)
  },
  'the API is killed': async () => {
    alias = await killed(alias, fleet.restartAlias)
  },
  'the judges’ worker is killed': async () => {
    judgingWorker = await killed(judgingWorker, fleet.restartJudgingWorker)
  },
  'connections to Postgres are cut': async () => {
    fleet.postgres.reset()
  },
  'Redis is unavailable': async () => {
    await fleet.redis.refuse()
    await staysTrueFor(1_000, async () => (await ask('faulty')).status === 200)
    await fleet.redis.restore()
  },
}

async function killed(process: FleetProcess, restart: () => Promise<FleetProcess>): Promise<FleetProcess> {
  process.signal('SIGKILL')
  await process.exited
  return restart()
}

it(`rolls a worse canary back once, while processes are killed and connections break (seed ${seed})`, async () => {
  const random = seededRandom(seed)
  const names = Object.keys(faults).toSorted(() => random() - 0.5)
  await put({
    name: 'faulty',
    target_model: 'sim/quality-0.97',
    canary_model: 'sim/quality-0.4',
    canary_percent: 50,
    gate_mode: 'auto',
    gate_criterion_id: judge.id,
  })
  await untilInForce(api, 'faulty')
  for (const name of names) {
    await Promise.all([Promise.all(Array.from({ length: 40 }, () => ask('faulty'))), faults[name]?.()])
  }
  const found = await eventually(
    async () => {
      await Promise.all(Array.from({ length: 10 }, () => ask('faulty')))
      const now = await gate('faulty')
      return now.state === 'rolled_back' ? now : null
    },
    { withinMs: 120_000, everyMs: 500 },
  )
  expect(found.difference.cs[1]).toBeLessThan(-0.05)
  const events: Json[] = (await api('GET', '/aliases/faulty/events')).json.data
  expect(events.map(({ kind }) => kind)).toEqual(['gate_rollback', 'created'])
  expect((await api('GET', '/aliases/faulty')).json).toMatchObject({ canary_percent: 0, version: 2 })
}, 240_000)

it('routes without the alias service, and counts all requests afterwards', async () => {
  await put({ name: 'alone', target_model: 'sim/small', canary_model: 'sim/echo', canary_percent: 50 })
  await eventually(async () => (await ask('alone')).status === 200, { withinMs: 45_000 })
  await untilInForce(api, 'alone')
  const before = (await gate('alone')).arms
  for (const process of [alias, aliasWorker]) process.signal('SIGKILL')
  await Promise.all([alias.exited, aliasWorker.exited])
  const served: Record<string, number> = {}
  const askSome = async () => {
    for (const { status, served: model } of await Promise.all(Array.from({ length: 20 }, () => ask('alone')))) {
      expect(status).toBe(200)
      served[model ?? ''] = (served[model ?? ''] ?? 0) + 1
    }
  }
  await staysTrueFor(3_000, askSome, { everyMs: 300 })
  expect((await api('GET', '/aliases/alone')).status).toBe(503)
  ;[alias, aliasWorker] = await Promise.all([fleet.restartAlias(), fleet.restartAliasWorker()])
  await eventually(
    async () => {
      const { target, canary } = (await gate('alone')).arms
      expect(target.served - before.target.served).toBe(served['sim/small'])
      expect(canary.served - before.canary.served).toBe(served['sim/echo'])
    },
    { withinMs: 45_000, everyMs: 200 },
  )
}, 300_000)

it('leaves a correct ledger', async () => {
  expect(await ledgerAtRest(fleet, workspace)).toMatchObject({ held: 0n, violations: [] })
}, 300_000)
