import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SimulatedProvider, startSimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import { eventually } from '@ratchet/testing/eventually'
import { createAdapterFolders } from '../adapter-folders.ts'
import { createEngineClient, type EngineClient } from '../engine-client.ts'
import type { EngineOrder } from '../engines.ts'
import { adapterOf } from '../sim/adapter.fixture.ts'
import { createSimEngines } from '../sim/sim-engines.ts'
import { createListedEngines, EngineList, type ListedEngine } from './listed-engines.ts'

const order: EngineOrder = {
  name: 'pool-1',
  baseModel: 'sim/small',
  modelSource: 'sim/small',
  hardware: null,
  maxContextLength: null,
  maxAdapters: 2,
  precision: 'auto',
}

let provider: SimulatedProvider
let root: string
/** Two engines that nobody here starts or stops. */
let running: ReturnType<typeof createSimEngines>
let listed: readonly ListedEngine[]
let clients: readonly EngineClient[]

beforeAll(async () => {
  provider = await startSimulatedProvider()
  root = await mkdtemp(join(tmpdir(), 'ratchet-listed-'))
  const folders = createAdapterFolders(join(root, 'own'))
  running = createSimEngines({ providerUrl: provider.baseUrl, folders, startMs: 1, now: () => new Date() })
  for (const name of ['one', 'two']) await running.start({ ...order, name })
  const started = await eventually(async () => {
    const all = await running.list()
    expect(all.map(({ state }) => state)).toEqual(['running', 'running'])
    return all
  })
  const [pooled, dedicated] = started.map(({ address }) => address ?? '') as [string, string]
  listed = EngineList.parse(
    JSON.stringify([
      { address: `${pooled}/`, base_model: 'sim/small' },
      { address: dedicated, base_model: 'sim/small', hardware: 'gpu-1x' },
    ]),
  )
  clients = listed.map(({ address }) => createEngineClient({ address }))
})
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await running.close()
  await Promise.all([provider.stop(), rm(root, { recursive: true, force: true })])
})

const create = () =>
  createListedEngines({
    listed,
    folders: createAdapterFolders(join(root, 'shared')),
    clientOf: (address) => createEngineClient({ address }),
  })
const addressOf = (index: number) => listed[index]?.address

it('gives each order an engine of its base and hardware, and lets the others wait', async () => {
  const engines = create()
  await engines.start(order)
  await engines.start(order)
  await engines.start({ ...order, name: 'pool-2' })
  await engines.start({ ...order, name: 'replica-1', hardware: 'gpu-1x' })
  await engines.start({ ...order, name: 'replica-2', baseModel: 'sim/large', hardware: 'gpu-1x' })
  expect(await engines.list()).toEqual([
    { name: 'pool-1', address: addressOf(0), state: 'running' },
    { name: 'pool-2', address: null, state: 'waiting' },
    { name: 'replica-1', address: addressOf(1), state: 'running' },
    { name: 'replica-2', address: null, state: 'waiting' },
  ])
})

it('gives an engine to the next without the adapters that were loaded', async () => {
  const [client] = clients as [EngineClient]
  const engines = create()
  await engines.start(order)
  await engines.start({ ...order, name: 'pool-2' })
  await engines.list()
  const adapter = adapterOf('mv_1-aaaaaaaa')
  await client.load(adapter.name, await engines.place('pool-1', adapter))
  expect(await client.models()).toContain(adapter.name)
  await engines.stop('pool-1', 'gracefully')
  expect(await engines.list()).toEqual([
    { name: 'pool-1', address: null, state: 'exited' },
    { name: 'pool-2', address: addressOf(0), state: 'running' },
  ])
  expect(await client.models()).toEqual(['sim/small'])
  await engines.forget('pool-1')
  await engines.forget('pool-2')
  expect((await engines.list()).map(({ name }) => name)).toEqual(['pool-2'])
})

it('takes what an earlier worker has left out of an engine, and gives nobody one that it does not reach', async () => {
  const [client] = clients as [EngineClient]
  const adapter = adapterOf('mv_2-bbbbbbbb')
  await client.load(adapter.name, await createAdapterFolders(join(root, 'earlier')).place('pool-0', adapter))
  const engines = create()
  await engines.start(order)
  expect(await engines.list()).toMatchObject([{ state: 'running' }])
  expect(await client.models()).toEqual(['sim/small'])

  const away = EngineList.parse('[{ "address": "http://127.0.0.1:9", "base_model": "sim/small" }]')
  const unreached = createListedEngines({
    listed: away,
    folders: createAdapterFolders(root),
    clientOf: (address) => createEngineClient({ address }),
  })
  await unreached.start(order)
  expect(await unreached.list()).toEqual([{ name: 'pool-1', address: null, state: 'waiting' }])
})

it.each(['no JSON', '{}', '[{ "address": "ftp://a", "base_model": "a" }]', '[{ "address": "http://a" }]'])(
  'refuses the list %s',
  (text) => expect(EngineList.safeParse(text).success).toBe(false),
)

it('refuses an engine that is listed twice', () => {
  const twice = [
    { address: 'http://a:1', base_model: 'a' },
    { address: 'http://a:1/', base_model: 'b' },
  ]
  expect(EngineList.safeParse(JSON.stringify(twice)).success).toBe(false)
})
