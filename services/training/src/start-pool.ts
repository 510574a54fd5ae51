import type { Pool } from '@ratchet/db/connect-pool'
import { workspaceIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { CommaList } from '@ratchet/service-kit/process/comma-list'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { pollForWork } from '@ratchet/work-kit/polling/poll-for-work'
import type { WorkChanges } from '@ratchet/work-kit/polling/work-changes'
import { z } from 'zod'
import type { ArtifactStore } from './artifacts/artifact-store.ts'
import { probes } from './attempts/trainer-spec-of.ts'
import { createEngineClient } from './engines/engine-client.ts'
import type { Engines } from './engines/engines.ts'
import type { WorkerEvents } from './events.ts'
import { createPgPool } from './pool/pg-pool.ts'
import { createPgPoolRequests } from './pool/pg-pool-requests.ts'
import type { PoolBase } from './pool/pool.ts'
import type { PoolDeps } from './pool/pool-work.ts'
import { createPoolWork } from './pool/reconcile-pool.ts'
import type { ModelDirectory } from './trainable-models/model-directory.ts'
import type { ServeDeps } from './versions/serve-routes.ts'

const maxReplicas = 100

/** Settings of the API and the worker: the base models whose adapters engines of this installation share. */
export const poolConfig = {
  /** Base models and the engines of each, such as `sim/small=2,acme/base=4`. Without any there is no pool. */
  POOL_MODELS: CommaList.transform((parts, context): readonly PoolBase[] =>
    parts.map((part) => {
      const at = part.lastIndexOf('=')
      const replicas = Number(part.slice(at + 1))
      if (at < 1 || !Number.isInteger(replicas) || replicas < 1 || replicas > maxReplicas) {
        context.addIssue(
          `${JSON.stringify(part)} must be a model and a number of engines from 1 to ${maxReplicas}, such as \`sim/small=2\``,
        )
      }
      return { baseModel: part.slice(0, at), replicas }
    }),
  ),
  /** Largest rank of an adapter in the pool. vLLM takes 8, 16, 32, 64, 128, 256, 320 and 512. */
  POOL_MAX_RANK: z.coerce.number().int().min(1).max(512).default(64),
  /** Versions of a workspace in the pool. */
  POOL_MAX_VERSIONS: z.coerce.number().int().min(1).max(10_000).default(100),
}

/** Settings of the worker alone. */
export const poolWorkerConfig = {
  ...poolConfig,
  /** Adapters that one engine can have. */
  POOL_MAX_ADAPTERS: z.coerce.number().int().min(1).max(1_000).default(16),
  /** Engines that have each version, where there is room. */
  POOL_COPIES: z.coerce.number().int().min(1).max(maxReplicas).default(2),
}
const PoolConfig = z.object(poolConfig)
const PoolWorkerConfig = z.object(poolWorkerConfig)

/** What the routes of the pool need. */
export function startPoolRequests(
  { POOL_MODELS, POOL_MAX_RANK, POOL_MAX_VERSIONS }: z.output<typeof PoolConfig>,
  pool: Pool,
): Omit<ServeDeps, 'versions'> {
  return {
    poolRequests: createPgPoolRequests(pool),
    poolBases: new Set(POOL_MODELS.map(({ baseModel }) => baseModel)),
    maxAdapterRank: POOL_MAX_RANK,
    maxPoolVersions: POOL_MAX_VERSIONS,
  }
}

interface PoolParts extends Pick<PoolDeps, 'now'> {
  readonly models: ModelDirectory
  readonly newId: () => string
  readonly pool: Pool
  readonly engines: Engines
  readonly artifacts: Pick<ArtifactStore, 'get'>
  readonly changes: WorkChanges
  readonly events: WorkerEvents
  readonly onStop: OnStop
}

const searchMs = 500
/** Engines are looked at this often also when nothing is asked of them. */
const quiet = { afterMs: 5_000, everyMs: 5_000 }
/** As trainers answer them. */
const maxProbeTokens = 16

/** The catalog is the same for all workspaces. */
const noWorkspace = workspaceIdentity('00000000-0000-0000-0000-000000000000')

/** @throws Error when the catalog does not have the base any more, or cannot be read */
async function orderOf(models: ModelDirectory, base: string) {
  const found = (await models.list(noWorkspace)).find(({ id }) => id === base)
  if (found === undefined) throw new Error(`${base} of POOL_MODELS is no model that can be trained here`)
  return { modelSource: found.source, hardware: null, maxContextLength: null, precision: 'auto' } as const
}

/** Manages the pool, as long as no other worker does. */
export function startPool(config: z.output<typeof PoolWorkerConfig>, parts: PoolParts): void {
  const { pool, engines, artifacts, changes, events, onStop, now, models, newId } = parts
  let onChange = () => {}
  const work = createPoolWork({
    worker: newId(),
    engines,
    store: createPgPool(pool),
    bases: config.POOL_MODELS,
    orderOf: (base) => orderOf(models, base),
    maxAdapters: config.POOL_MAX_ADAPTERS,
    copies: config.POOL_COPIES,
    clientOf: (address) => createEngineClient({ address }),
    readArtifact: (sha256) => artifacts.get(sha256),
    probes,
    maxProbeTokens,
    now,
    onEvent: events.pool,
    onChange: () => onChange(),
  })
  const own: WorkChanges = {
    isListening: () => changes.isListening(),
    onChange(listener) {
      onChange = listener
      changes.onChange(listener)
    },
  }
  const stop = pollForWork({
    everyMs: searchMs,
    changes: own,
    quiet,
    work: () => work.pass(),
    onError: events.poolFailed,
  })
  onStop(async () => {
    await stop()
    await work.stop()
  })
}
