import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { formatUsd } from '@ratchet/contracts/money'
import { type SimulatedProvider, startSimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import { createDemoWorkspace, type DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { type ChatCall, postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { ledgerAtRest, onlyHold } from './ledger-oracle.ts'
import { type MountedCatalog, mountedCatalog } from './mounted-catalog.ts'

/*
 * A release that raises a price: processes of before and after it run together for a while. Each holds and charges at
 * its own prices; a request never pays a price that it did not hold for.
 */
const risenBy = 50
const usualUsd = { input_per_mtok: '1', output_per_mtok: '2' }

let provider: SimulatedProvider
let catalog: MountedCatalog
let fleet: Fleet
/** The edge in front of the process that knows the risen price. */
let risenUrl: string

beforeAll(async () => {
  provider = await startSimulatedProvider()
  catalog = await mountedCatalog({
    providers: [{ id: 'own', base_url: `${provider.baseUrl}/v1` }],
    models: [
      { id: 'own/quick', ...usualUsd },
      { id: 'own/slow', upstream_model: 'sim/pace-50', ...usualUsd },
    ],
  })
  fleet = await startFleet({ env: { CATALOG_DIR: catalog.folder } })
  await raisePrices(path.join(catalog.folder, 'catalog.json'))
  const inference = await fleet.add('inference')
  risenUrl = (await fleet.add('edge', { INFERENCE_URL: inference.url })).url
}, 300_000)
afterAll(async () => {
  await fleet?.stop()
  await catalog?.remove()
  await provider?.stop()
}, 180_000)

async function raisePrices(file: string): Promise<void> {
  const parsed = JSON.parse(await readFile(file, 'utf8')) as { models: readonly object[] }
  const risen = Object.entries(usualUsd).map(([name, usd]) => [name, String(Number(usd) * risenBy)])
  const models = parsed.models.map((model) => ({ ...model, ...Object.fromEntries(risen) }))
  await writeFile(file, JSON.stringify({ ...parsed, models }))
}

interface Asked extends Partial<ChatCall> {
  readonly key?: string
}

function send({ apiKey }: DemoWorkspace, { key, model = 'own/quick', body = {}, ...call }: Asked = {}) {
  const headers = key === undefined ? {} : { 'idempotency-key': key }
  return postChat(fleet, { model, apiKey, headers, ...call, body: { max_tokens: 60, ...body } })
}

async function ask(workspace: DemoWorkspace, call: Asked = {}) {
  const response = await send(workspace, call)
  const text = await response.text()
  const header = (name: string) => response.headers.get(name)
  const usage = response.ok && call.stream !== true ? JSON.parse(text).usage : null
  return { status: response.status, replayed: header('idempotent-replay'), cost: header('x-svc-cost-usd'), usage, text }
}

const workspaceOf = (balanceUsd: string) => createDemoWorkspace(fleet.databaseUrl, { balanceUsd })

/** Nano-dollars at the usual price. */
const usualNano = ({ prompt_tokens: prompt, completion_tokens: completion }: Record<string, number>) =>
  Math.ceil(((prompt ?? 0) * 1_000 + (completion ?? 0) * 2_000) / 1_000) * 1_000

it('each process holds and charges at its own prices, and a wallet for the old price is refused by the new one', async () => {
  const probe = await workspaceOf('1.00')
  const { usage } = await ask(probe)
  const held = await onlyHold(fleet.databaseUrl, probe.workspaceId)
  const workspace = await workspaceOf(formatUsd(held))
  expect((await ask(workspace, { url: risenUrl })).status).toBe(402)
  expect((await ask(workspace)).status).toBe(200)
  expect(await ledgerAtRest(fleet, workspace)).toMatchObject({
    posted: 1,
    charged: BigInt(usualNano(usage)),
    violations: [],
  })
  const rich = await workspaceOf('1.00')
  await ask(rich, { url: risenUrl })
  const { charged, violations } = await ledgerAtRest(fleet, rich)
  expect([charged, violations]).toEqual([BigInt(usualNano(usage) * risenBy), []])
}, 180_000)

it('a request that runs while its price rises pays the price that it held for, also when it is repeated', async () => {
  const workspace = await workspaceOf('1.00')
  const call = { key: 'across', model: 'own/slow' }
  const before = (await provider.report()).totals.requests
  const running = ask(workspace, call)
  await eventually(async () => (await provider.report()).totals.requests > before)
  expect((await ask(workspace, { ...call, url: risenUrl })).status).toBe(409)
  const answer = await running
  expect(answer.status).toBe(200)
  const paid = { posted: 1, charged: BigInt(usualNano(answer.usage)), violations: [] }
  expect(await ledgerAtRest(fleet, workspace)).toMatchObject(paid)
  for (const url of [fleet.url, risenUrl]) {
    const again = await ask(workspace, { ...call, url })
    expect(again).toMatchObject({ status: 200, replayed: 'true', usage: answer.usage })
  }
  expect(await ledgerAtRest(fleet, workspace)).toMatchObject(paid)
}, 180_000)

it('a stream whose process dies is closed by one with other prices, within its hold', async () => {
  const workspace = await workspaceOf('1.00')
  const stream = await send(workspace, { model: 'own/slow', stream: true })
  await stream.body?.getReader().read()
  const held = await onlyHold(fleet.databaseUrl, workspace.workspaceId)
  fleet.inference.signal('SIGKILL')
  await fleet.inference.exited
  const { charged, balance, violations } = await ledgerAtRest(fleet, workspace)
  expect(violations).toEqual([])
  expect(charged).toBeLessThanOrEqual(held)
  expect(balance).toBe(1_000_000_000n - charged)
}, 300_000)
