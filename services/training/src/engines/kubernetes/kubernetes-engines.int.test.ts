import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type ApiServer, startApiServer } from '@ratchet/testing/kubernetes-api-server.fixture'
import type { Adapter, EngineOrder } from '../engines.ts'
import { adapterServer } from './adapter-server.ts'
import { createAdapterUploads } from './adapter-uploads.ts'
import { connectEngineCluster } from './engine-cluster.ts'
import { EngineProfile } from './engine-profile.ts'
import { createKubernetesEngines } from './kubernetes-engines.ts'

const scope = { namespace: 'engines', owner: 'test' }
const order: EngineOrder = {
  name: 'pool-1',
  baseModel: 'acme/base',
  modelSource: '/models/base',
  hardware: null,
  maxContextLength: 4_096,
  maxAdapters: 16,
  precision: 'bf16',
}
const manifest = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { labels: { app: 'engine' } },
  spec: {
    containers: [
      { name: 'engine', image: 'vllm:1', args: ['--max-lora-rank=64'] },
      { name: 'adapters', image: 'x' },
    ],
  },
}
const profiles = [EngineProfile.parse({ models: ['*'], manifest })]

let server: ApiServer
beforeEach(async () => {
  server = await startApiServer(async () => 0)
})
afterEach(() => server.stop())

async function enginesOf(uploads = createAdapterUploads()) {
  const cluster = await connectEngineCluster({ kind: 'file', path: server.configFile }, scope)
  return createKubernetesEngines({ cluster, profiles, uploads, now: () => new Date(), ...scope })
}

it('starts one pod for a name, with what it serves, and sees how it goes', async () => {
  const engines = await enginesOf()
  await engines.start(order)
  await engines.start(order)
  const [pod] = server.objects('pods')
  expect(server.objects('pods')).toHaveLength(1)
  expect(pod).toMatchObject({
    metadata: { name: 'pool-1', namespace: 'engines', labels: { app: 'engine', 'ratchet-engines': 'test' } },
    spec: {
      containers: [
        {
          args: [
            '--max-lora-rank=64',
            '--model=/models/base',
            '--served-model-name=acme/base',
            '--enable-lora',
            '--max-cpu-loras=16',
            '--max-model-len=4096',
            '--dtype=bfloat16',
          ],
        },
        { name: 'adapters' },
      ],
    },
  })
  const listed = async () => (await engines.list())[0]
  expect(await listed()).toEqual({ name: 'pool-1', address: null, state: 'waiting' })
  pod.spec.nodeName = 'node-1'
  expect(await listed()).toMatchObject({ state: 'starting' })
  const containers = (ready: boolean) => ['engine', 'adapters'].map((name) => ({ name, ready }))
  pod.status = { phase: 'Running', podIP: '10.0.0.7', containerStatuses: containers(true) }
  expect(await listed()).toEqual({ name: 'pool-1', address: 'http://10.0.0.7:8000', state: 'running' })
  pod.status.containerStatuses = containers(false)
  expect(await listed()).toMatchObject({ state: 'starting' })
  pod.status.podIP = 'fd00::7'
  expect(await listed()).toMatchObject({ address: 'http://[fd00::7]:8000' })
  pod.status.phase = 'Failed'
  expect(await listed()).toEqual({ name: 'pool-1', address: null, state: 'exited' })
  await engines.forget('pool-1')
  await engines.stop('pool-1', 'gracefully')
  expect(await engines.list()).toEqual([])
})

it('sees the engines that another worker has started, and only those of its installation', async () => {
  await (await enginesOf()).start(order)
  const other = await enginesOf()
  expect(await other.list()).toHaveLength(1)
  server.objects('pods')[0].metadata.labels['ratchet-engines'] = 'another'
  expect(await other.list()).toEqual([])
})

it('gives up a pod whose node does not answer, so that its name is free again', async () => {
  const engines = await enginesOf()
  await engines.start(order)
  const [pod] = server.objects('pods')
  pod.metadata.deletionTimestamp = new Date(Date.now() - 30_000).toISOString()
  expect(await engines.list()).toEqual([])
  expect(server.objects('pods')).toHaveLength(1)
  pod.metadata.deletionTimestamp = new Date(Date.now() - 70_000).toISOString()
  expect(await engines.list()).toEqual([])
  expect(server.objects('pods')).toEqual([])
})

it('starts nothing for which there is no machine', async () => {
  const engines = await enginesOf()
  await expect(engines.start({ ...order, hardware: 'h200' })).rejects.toThrow(
    'no engine profile is for acme/base on h200',
  )
})

describe('the container for adapters', () => {
  let root: string
  let adapters: Server
  let address: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'adapters-'))
    adapters = adapterServer(root)
    await new Promise<void>((resolve) => adapters.listen(0, '127.0.0.1', resolve))
    address = `http://127.0.0.1:${(adapters.address() as AddressInfo).port}`
  })
  afterEach(async () => {
    adapters.closeAllConnections()
    adapters.close()
    await rm(root, { recursive: true })
  })

  const bytes = Buffer.from('the weights')
  const adapter: Adapter = {
    name: 'mv_1-aaaaaaaa',
    files: [{ name: 'adapter_model.safetensors', sha256: createHash('sha256').update(bytes).digest('hex'), bytes: 11 }],
    read: async () => Readable.from([bytes]),
  }

  it('gets an adapter once, and gives it up', async () => {
    const uploads = createAdapterUploads()
    const folder = await uploads.place(address, adapter)
    expect(folder).toBe(join(root, 'mv_1-aaaaaaaa'))
    expect(await readFile(join(folder, 'adapter_model.safetensors'), 'utf8')).toBe('the weights')
    const unreadable = { ...adapter, read: async () => Readable.from([Buffer.from('x')]) }
    expect(await uploads.place(address, unreadable)).toBe(folder)
    await uploads.discard(address, 'mv_1-aaaaaaaa')
    expect(await readdir(root)).toEqual([])
  })

  it('takes no other bytes than those that were announced', async () => {
    const other = { ...adapter, read: async () => Readable.from([Buffer.from('the weight!')]) }
    await expect(createAdapterUploads().place(address, other)).rejects.toThrow('refused: 400')
    expect(await readdir(root)).not.toContain('mv_1-aaaaaaaa')
  })

  it.each(['/adapters/..%2f..%2fetc/x', '/adapters/a/..%2fb', '/adapters/a/b/c', '/other/a/b', '/adapters/a/'])(
    'writes nothing outside of its folder: %s',
    async (path) => {
      const headers = { 'x-content-sha256': adapter.files[0]?.sha256 ?? '' }
      const { status } = await fetch(`${address}${path}`, { method: 'PUT', body: bytes, headers })
      expect([400, 404]).toContain(status)
      expect((await readdir(root)).filter((name) => !name.startsWith('a.'))).toEqual([])
    },
  )
})
