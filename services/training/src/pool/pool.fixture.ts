import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuidOf } from '@ratchet/contracts/public-id'
import { type SimulatedProvider, startSimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import { probes } from '../attempts/trainer-spec-of.ts'
import { createAdapterFolders } from '../engines/adapter-folders.ts'
import { createEngineClient } from '../engines/engine-client.ts'
import type { SimEngineServerOptions } from '../engines/sim/sim-engine-server.ts'
import { createSimEngines } from '../engines/sim/sim-engines.ts'
import { type VersionApp, versionApp } from '../versions/version-app.fixture.ts'
import { createPgPool } from './pg-pool.ts'
import type { PoolDeps, PoolEvent, PoolWork } from './pool-work.ts'
import { createPoolWork } from './reconcile-pool.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read rows by name
type AnyRow = any

export interface TestPoolOptions extends Partial<Pick<PoolDeps, 'bases' | 'maxAdapters' | 'copies'>> {
  readonly answering?: SimEngineServerOptions['answering']
}

export interface TestPool {
  readonly app: VersionApp
  readonly provider: SimulatedProvider
  readonly events: PoolEvent[]
  /** Time that has passed beside that of the clock, milliseconds. */
  passedMs: number
  /** Addresses of engines that do not answer any more. */
  readonly silent: Set<string>
  /** Another worker with engines of its own. */
  startWorker(options?: TestPoolOptions): TestPoolWorker
  /** What inference knows of the versions of the workspace, by their public id. */
  routes(): Promise<Map<string, AnyRow>>
  replicas(): Promise<AnyRow[]>
  adapters(): Promise<AnyRow[]>
  revision(): Promise<number>
  drop(): Promise<void>
}

export interface TestPoolWorker {
  readonly work: PoolWork
  readonly engines: ReturnType<typeof createSimEngines>
  stop(): Promise<void>
}

/** The pool on its own database, with simulated engines and the simulated provider. */
export async function testPool(): Promise<TestPool> {
  const [app, provider] = await Promise.all([versionApp(), startSimulatedProvider()])
  const root = await mkdtemp(join(tmpdir(), 'pool-'))
  const { run, workspaceId } = app
  const workers: TestPoolWorker[] = []
  const own: TestPool = {
    app,
    provider,
    events: [],
    passedMs: 0,
    silent: new Set(),
    startWorker({ answering, bases = [{ baseModel: 'sim/base', replicas: 2 }], maxAdapters = 4, copies = 2 } = {}) {
      const now = () => new Date()
      const folders = createAdapterFolders(join(root, String(workers.length)))
      const plain = { providerUrl: provider.baseUrl, folders, startMs: 10, now }
      const engines = createSimEngines(answering === undefined ? plain : { ...plain, answering })
      const work = createPoolWork({
        worker: randomUUID(),
        engines,
        store: createPgPool(run.pool),
        bases,
        orderOf: async (base) => ({ modelSource: base, hardware: null, maxContextLength: null, precision: 'auto' }),
        maxAdapters,
        copies,
        clientOf(address) {
          const client = createEngineClient({ address })
          return { ...client, isHealthy: async () => !own.silent.has(address) && (await client.isHealthy()) }
        },
        readArtifact: (sha256) => run.artifacts.get(sha256),
        probes,
        maxProbeTokens: 16,
        now: () => new Date(now().getTime() + own.passedMs),
        onEvent: (event) => own.events.push(event),
        onChange: () => {},
      })
      const worker = {
        work,
        engines,
        async stop() {
          await work.stop()
          await engines.close()
        },
      }
      workers.push(worker)
      return worker
    },
    async routes() {
      const { rows } = await run.operator.query('SELECT * FROM version_route WHERE workspace_id = $1', [workspaceId])
      return new Map(rows.map((row) => [`mv_${row.id.replaceAll('-', '')}`, row]))
    },
    replicas: async () => (await run.operator.query('SELECT * FROM pool_replica ORDER BY name')).rows,
    adapters: async () => (await run.operator.query('SELECT * FROM pool_adapter ORDER BY replica, version_id')).rows,
    async revision() {
      const text = 'SELECT revision FROM version_revision WHERE workspace_id = $1'
      return (await run.operator.query(text, [workspaceId])).rows[0]?.revision ?? 0
    },
    async drop() {
      await Promise.all(workers.map((worker) => worker.stop().catch(() => {})))
      await Promise.all([app.drop(), provider.stop(), rm(root, { recursive: true, force: true })])
    },
  }
  return own
}

/** The engine at an address of a route, asked as inference does. */
export async function askAt(
  address: string,
  model: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const body = { model, messages: [{ role: 'user', content: 'What is rust?' }] }
  const answer = await fetch(`${address}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, text: await answer.text() }
}

/** UUID of a version. */
export function versionUuid(publicId: string): string {
  return uuidOf('modelVersion', publicId) ?? ''
}
