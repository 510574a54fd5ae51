import { eventually } from '@ratchet/testing/eventually'
import { probes } from '../attempts/trainer-spec-of.ts'
import { createEngineClient } from '../engines/engine-client.ts'
import { adapterName } from '../engines/engines.ts'
import { askAt, type TestPool, type TestPoolOptions, testPool, versionUuid } from '../pool/pool.fixture.ts'
import { engineName } from './engine-name.ts'
import { createPgServedVersions } from './pg-versions.ts'
import { createProofs } from './prove-version.ts'
import type { HostedReplica } from './replica-store.ts'

let pool: TestPool
let versionIds: readonly string[]

beforeAll(async () => {
  pool = await testPool()
  versionIds = (await pool.app.train()).versionIds
})
afterAll(() => pool?.drop())

const replicaId = '00000000-0000-4000-8000-0000000000b1'

/** What a version does at an engine of its own. @param id UUID of the version */
async function proofOf(id: string, options: TestPoolOptions = {}) {
  const { run, workspaceId } = pool.app
  const { engines } = pool.startWorker(options)
  const { rows } = await run.operator.query('SELECT sha256 FROM model_version WHERE id = $1', [id])
  const version = { id, adapter: adapterName(id, rows[0]?.sha256 ?? '00000000') }
  const settings = { modelSource: 'weights', hardware: null, maxContextLength: null, precision: 'auto' } as const
  await engines.start({ ...settings, name: engineName(replicaId), baseModel: 'sim/base', maxAdapters: 1 })
  const address = await eventually(async () => (await engines.list())[0]?.address ?? null)
  const client = createEngineClient({ address })
  const prove = createProofs({
    engines,
    store: createPgServedVersions(run.pool),
    clientOf: () => client,
    readArtifact: (sha256) => run.artifacts.get(sha256),
    probes,
    maxProbeTokens: 16,
  })
  const replica: HostedReplica = {
    id: replicaId,
    workspaceId,
    createdBy: workspaceId,
    state: 'starting',
    failedChecks: 0,
    baseModel: 'sim/base',
    version,
    adapters: [],
    maxAdapters: 0,
    loaded: [],
    hardware: 'sim-1x',
    maxContextLength: 8_192,
    precision: 'auto',
    startedForMs: 0,
  }
  expect(await prove(replica, version, address)).toBeNull()
  const proof = await eventually(() => prove(replica, version, address))
  const { status } = await askAt(address, version.adapter)
  await client.close()
  return { proof, status }
}

it('loads a version, and finds that it answers as its trainer said', async () => {
  expect(await proofOf(versionUuid(versionIds[0] ?? ''))).toEqual({ proof: 'same', status: 200 })
})

it('finds an engine that ignores the adapter', async () => {
  const answering = () => null
  expect(await proofOf(versionUuid(versionIds[0] ?? ''), { answering })).toEqual({ proof: 'base', status: 404 })
})

it('finds that a version is gone', async () => {
  expect(await proofOf('00000000-0000-4000-8000-0000000000c1')).toMatchObject({ proof: 'gone' })
})
