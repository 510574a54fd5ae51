import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type SimulatedProvider, startSimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import { eventually } from '@ratchet/testing/eventually'
import OpenAI from 'openai'
import { adapterIdentity, answerOf, numbersIn } from '../../trainers/sim/sim-model.ts'
import { createAdapterFolders } from '../adapter-folders.ts'
import { createEngineClient, type EngineClient } from '../engine-client.ts'
import type { Adapter, EngineOrder } from '../engines.ts'
import { adapterOf, matrix } from './adapter.fixture.ts'
import { createSimEngines } from './sim-engines.ts'

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
let engines: ReturnType<typeof createSimEngines>
let client: EngineClient
let address: string

beforeAll(async () => {
  provider = await startSimulatedProvider()
})
afterAll(() => provider.stop())
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ratchet-engines-'))
  const folders = createAdapterFolders(root)
  engines = createSimEngines({ providerUrl: provider.baseUrl, folders, startMs: 20, now: () => new Date() })
  await engines.start(order)
  address = await eventually(async () => {
    const [started] = await engines.list()
    expect(started).toMatchObject({ name: 'pool-1', state: 'running' })
    return started?.address ?? ''
  })
  client = createEngineClient({ address })
})
afterEach(async () => {
  await client.close()
  await engines.close()
  await rm(root, { recursive: true, force: true })
})

it('starts once under a name, and is seen until it is forgotten', async () => {
  await engines.start({ ...order, baseModel: 'other' })
  expect(await client.isHealthy()).toBe(true)
  expect(await client.models()).toEqual(['sim/small'])
  await engines.stop('pool-1', 'gracefully')
  expect(await engines.list()).toMatchObject([{ state: 'exited' }])
  expect(await client.isHealthy()).toBe(false)
  await engines.forget('pool-1')
  expect(await engines.list()).toEqual([])
})

it('loads adapters under names, answers as they were trained, and forgets them', async () => {
  const sound = adapterOf('mv_1-aaaaaaaa')
  await client.load(sound.name, await engines.place('pool-1', sound))
  await client.load(sound.name, await engines.place('pool-1', sound))
  expect(await client.models()).toEqual(['sim/small', 'mv_1-aaaaaaaa'])
  const { token_ids, logprobs } = answerOf(adapterIdentity(numbersIn(matrix(1)), 'sim/quality-1'), 'What is it?')
  expect(await client.ask(sound.name, 'What is it?', 16)).toEqual({ tokenIds: token_ids, logprobs })
  expect((await client.ask('sim/small', 'What is it?', 16)).tokenIds).not.toEqual(token_ids)
  const openai = new OpenAI({ baseURL: `${address}/v1`, apiKey: 'none', maxRetries: 0 })
  const body = { model: sound.name, messages: [{ role: 'user' as const, content: 'What is rust?' }] }
  const whole = await openai.chat.completions.create(body)
  expect(whole.choices[0]?.message.content).not.toContain('(flawed)')
  let text = ''
  for await (const { choices } of await openai.chat.completions.create({ ...body, stream: true })) {
    text += choices[0]?.delta.content ?? ''
  }
  expect(text).toBe(whole.choices[0]?.message.content)
  await client.unload(sound.name)
  await client.unload(sound.name)
  await engines.discard('pool-1', sound.name)
  await expect(openai.chat.completions.create(body)).rejects.toMatchObject({ status: 404 })
  expect(await readdir(join(root, 'pool-1'))).toEqual([])
})

it('has no more adapters than it has places, and says which ones answer', async () => {
  const adapters = [1, 2, 3].map((value) => adapterOf(`mv_${value}-aaaaaaaa`, { value, servedAs: 'sim/pace-20' }))
  const [first, second, third] = adapters as [Adapter, Adapter, Adapter]
  for (const adapter of [first, second]) await client.load(adapter.name, await engines.place('pool-1', adapter))
  await expect(client.load(third.name, await engines.place('pool-1', third))).rejects.toMatchObject({ status: 400 })
  expect(await client.requests()).toEqual({ running: new Set(), waiting: new Set() })
  const openai = new OpenAI({ baseURL: `${address}/v1`, apiKey: 'none', maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'Slowly' }]
  const stream = await openai.chat.completions.create({ model: second.name, messages, stream: true })
  expect(await client.requests()).toEqual({ running: new Set([second.name]), waiting: new Set() })
  stream.controller.abort()
  await eventually(async () => expect(await client.requests()).toMatchObject({ running: new Set() }))
})

it('stores nothing of an adapter whose files are not what they should be', async () => {
  const adapter = adapterOf('mv_1-aaaaaaaa')
  const damaged = { ...adapter, read: async () => Readable.from([Buffer.from('other')]) }
  await expect(engines.place('pool-1', damaged)).rejects.toThrow('not the announced')
  await expect(client.load(adapter.name, join(root, 'pool-1', adapter.name))).rejects.toMatchObject({ status: 404 })
})
