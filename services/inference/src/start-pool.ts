import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '@ratchet/db/connect-pool'
import { createUpstream } from '@ratchet/http/create-upstream'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import type { Dispatcher } from 'undici'
import type { InferenceConfig } from './config.ts'
import type { InferenceEvents } from './events.ts'
import type { AdapterOptions } from './providers/create-provider.ts'
import { poolProvider, wakingProvider } from './providers/pool-provider.ts'
import { createPgPoolUses } from './routing/pg-pool-uses.ts'
import { createPoolDeployments, type PoolDeployments } from './routing/pool-deployments.ts'
import { createPoolUses } from './routing/pool-uses.ts'

interface PoolContext {
  readonly config: Pick<InferenceConfig, 'UPSTREAM_CONNECT_TIMEOUT_MS' | 'POOL_MAX_WAIT_MS'>
  readonly lifecycle: Lifecycle
  readonly pool: Pool
  readonly adapters: AdapterOptions
  readonly events: Pick<InferenceEvents, 'ejected' | 'versionUsesFailed'>
}

const flushEveryMs = 1_000
const closeUnusedEveryMs = 60_000
/** After this an engine that gets no requests is taken for gone, milliseconds. */
const idleMs = 600_000
const maxConnectionsPerEngine = 1_000
/** Calls of a version at an engine. */
const concurrencyMax = 1_000

/** The engines of the pool, as versions are called there. */
export function startPool({ config, lifecycle, pool, adapters, events }: PoolContext): PoolDeployments {
  const clockMs = () => performance.now()
  const upstreamOf = createUpstreams(config, lifecycle, clockMs)
  const engine = (address: string, workspaceId: string) =>
    poolProvider({ upstream: upstreamOf(address), workspaceId }, adapters)
  const store = createPgPoolUses(pool)
  const uses = createPoolUses({ store, clockMs, delay: (ms) => delay(ms), maxWaitMs: config.POOL_MAX_WAIT_MS })
  lifecycle.onStop(repeatEvery({ everyMs: flushEveryMs, work: () => uses.flush(), onError: events.versionUsesFailed }))
  return createPoolDeployments({
    engine,
    waking: ({ versionId, addresses }, workspaceId) =>
      wakingProvider({
        wake: (stopped) => uses.wake({ versionId, workspaceId }, addresses, stopped),
        engine: (address) => engine(address, workspaceId),
      }),
    noteUse: (versionId, workspaceId) => uses.noteUse(versionId, workspaceId),
    concurrencyMax,
    clockMs,
    random: Math.random,
    onEjected: events.ejected,
  })
}

interface OpenUpstream {
  readonly upstream: Dispatcher
  usedAtMs: number
}

/** Engines come and go, each at an address of its own: what was not called for ten minutes is closed. */
function createUpstreams(
  { UPSTREAM_CONNECT_TIMEOUT_MS: connectTimeoutMs }: PoolContext['config'],
  { onStop }: Lifecycle,
  clockMs: () => number,
): (address: string) => Dispatcher {
  const open = new Map<string, OpenUpstream>()
  const upstreamOf = (address: string) => {
    const found = open.get(address) ?? {
      upstream: createUpstream({ origin: address, connections: maxConnectionsPerEngine, connectTimeoutMs }),
      usedAtMs: 0,
    }
    found.usedAtMs = clockMs()
    open.set(address, found)
    return found.upstream
  }
  const closeUnused = async () => {
    for (const [address, { upstream, usedAtMs }] of open) {
      if (clockMs() - usedAtMs < idleMs) continue
      open.delete(address)
      // Those that still run may end.
      void upstream.close().catch(() => {})
    }
  }
  onStop(repeatEvery({ everyMs: closeUnusedEveryMs, work: closeUnused, onError() {} }))
  onStop(() => Promise.all([...open.values()].map(({ upstream }) => upstream.destroy())))
  return upstreamOf
}
