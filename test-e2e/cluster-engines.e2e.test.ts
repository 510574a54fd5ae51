import { randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createDemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { type ApiServer, startApiServer } from '@ratchet/testing/kubernetes-api-server.fixture'
import type OpenAI from 'openai'
import { openaiFor } from './clients.ts'
import { requireRightCharges } from './dedicated/right-charges.ts'
import { type Answered, readJson } from './fine-tuning/read-json.ts'
import { type Fleet, startFleet } from './fleet.ts'
import type { Json } from './judged-traffic.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import { type ClusterNode, startClusterNode } from './pool/cluster-node.ts'
import { trainVersions } from './pool/train-versions.ts'

/* Engines as pods of a cluster, behind a whole fleet: pool and endpoints, while nodes are lost. The API server is scripted. */

const base = 'sim/small'
const waits = { withinMs: 60_000, everyMs: 200 }

let server: ApiServer
let node: ClusterNode
let fleet: Fleet
let openai: OpenAI
let profiles: string

beforeAll(async () => {
  server = await startApiServer(async () => 0)
  node = startClusterNode(server, [randomInt(16, 255), randomInt(1, 255)])
  profiles = await mkdtemp(path.join(tmpdir(), 'engine-profiles-'))
  const containers = ['engine', 'adapters'].map((name) => ({ name, image: `${name}:1` }))
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers } }
  await writeFile(path.join(profiles, 'pool.json'), JSON.stringify({ models: ['*'], manifest }))
  await writeFile(path.join(profiles, 'a100.json'), JSON.stringify({ models: ['*'], hardware: ['a100-1x'], manifest }))
  fleet = await startFleet({
    training: true,
    workspace: { balanceUsd: '100.00' },
    env: {
      SIM_JOB_MS: '100',
      ENGINES: 'kubernetes',
      ENGINE_PROFILES: profiles,
      ENGINE_NAMESPACE: 'engines',
      KUBERNETES_CONFIG: server.configFile,
      POOL_MODELS: `${base}=2`,
      DEDICATED_HARDWARE: JSON.stringify([{ id: 'a100-1x', price_usd_per_hour: '2.80', slots: 2 }]),
    },
  })
  openai = openaiFor(fleet)
}, 300_000)
afterAll(async () => {
  await fleet?.stop()
  await node?.stop()
  await server?.stop()
  await rm(profiles, { recursive: true, force: true })
}, 120_000)

const names = (prefix: string) =>
  server
    .objects('pods')
    .map(({ metadata }) => metadata.name as string)
    .filter((name) => name.startsWith(prefix))

const messages = [{ role: 'user' as const, content: 'Where is my parcel?' }]

async function say(client: OpenAI, model: string): Promise<string | null> {
  return (await client.chat.completions.create({ model, messages })).choices[0]?.message.content ?? null
}

it('serves a version from pods, and from the others while the node of one is lost', async () => {
  const [version] = await trainVersions(fleet, base)
  if (version === undefined) throw new Error('no version')
  const ask = (method: string, under: string, body?: object): Promise<Answered> =>
    readJson(`${fleet.url}/v1${under}`, { method, apiKey: fleet.workspace.apiKey, body })
  const serving = async () =>
    (await ask('GET', '/model_versions')).json.data.find(({ model_id }: Json) => model_id === version.model).serving

  expect((await ask('POST', `${version.path}/serve`, { in: 'pool' })).status).toBe(202)
  // Pods that wait for a GPU.
  await eventually(() => expect(names('pool-')).toHaveLength(2), waits)
  expect(await serving()).toMatchObject({ pool: 'loading' })
  node.admit()
  await eventually(async () => expect(await serving()).toMatchObject({ pool: 'ready', pool_error: null }), waits)
  await eventually(async () => expect(await say(openai, version.model)).toBe(version.weights), waits)

  const [lost = ''] = names('pool-')
  const uidOf = () => server.objects('pods').find(({ metadata }) => metadata.name === lost)?.metadata.uid
  const before = uidOf()
  await node.lose(lost)
  const said: (string | null)[] = []
  // It says that it runs for as long as its place is not given to another pod.
  await eventually(
    async () => {
      said.push(await say(openai, version.model))
      expect([undefined, before]).not.toContain(uidOf())
    },
    { withinMs: 120_000, everyMs: 500 },
  )
  expect(new Set(said)).toEqual(new Set([version.weights]))
  expect((await ledgerAtRest(fleet, fleet.workspace)).violations).toEqual([])
}, 300_000)

it('runs an endpoint as pods: it grows, loses a node and ends, and only its time is charged', async () => {
  const workspace = await createDemoWorkspace(fleet.databaseUrl, { balanceUsd: '100.00' })
  const client = openaiFor(fleet, { apiKey: workspace.apiKey })
  const ask = (method: string, under: string, body?: object): Promise<Answered> =>
    readJson(`${fleet.url}/v1${under}`, { method, apiKey: workspace.apiKey, body })
  const body = { name: 'Pods', model: base, hardware: 'a100-1x', minReplicas: 1, maxReplicas: 2 }
  const { status, json: created } = await ask('POST', '/dedicated/endpoints', body)
  expect(status).toBe(202)
  const read = async () => (await ask('GET', `/dedicated/endpoints/${created.id}`)).json
  const hasReady = (count: number) =>
    eventually(async () => {
      const { state, replicas } = await read()
      expect([state, replicas.map((replica: Json) => replica.state)]).toEqual([
        'RUNNING',
        Array.from({ length: count }, () => 'ready'),
      ])
    }, waits)
  await hasReady(1)
  const [pod] = server.objects('pods').filter(({ metadata }) => metadata.name === names('replica-')[0])
  expect(pod.spec.containers[0].args).toEqual(expect.arrayContaining([`--served-model-name=${base}`]))
  expect(await say(client, created.model_id)).toBe(base)

  expect((await ask('PATCH', `/dedicated/endpoints/${created.id}`, { minReplicas: 2 })).status).toBe(200)
  await hasReady(2)
  const [lost = ''] = names('replica-')
  await node.lose(lost)
  await eventually(() => expect(names('replica-')).not.toContain(lost), waits)
  await hasReady(2)
  expect(await say(client, created.model_id)).toBe(base)

  // What no replica has is ended, and charged to nobody.
  const orphan = structuredClone(pod)
  orphan.metadata = { ...orphan.metadata, name: 'replica-00000000-0000-4000-8000-000000000001' }
  const url = `${server.url}/api/v1/namespaces/engines/pods`
  expect((await fetch(url, { method: 'POST', body: JSON.stringify(orphan) })).status).toBe(201)
  await eventually(() => expect(names('replica-')).not.toContain(orphan.metadata.name), waits)

  expect((await ask('DELETE', `/dedicated/endpoints/${created.id}`)).status).toBe(200)
  await eventually(() => expect(names('replica-')).toEqual([]), waits)
  await requireRightCharges(fleet, workspace)
}, 300_000)
