import type { Deployment } from '../routing/deployment.ts'
import { createDeploymentHealth, type HealthOptions } from '../routing/deployment-health.ts'
import type { DeployedModel } from '../routing/provider-directory.ts'
import { createRetryBudget, type RetryBudget } from '../routing/retry-budget.ts'
import type { Provider } from '../wire/provider.ts'
import type { DedicatedReplica, DedicatedRoute } from './dedicated-route.ts'

/** The adapter of an engine, with its own connections. */
export interface EngineProvider {
  readonly provider: Provider
  /** Lets running calls end. */
  close(): void
}

export interface ReplicaDeploymentsOptions extends Pick<HealthOptions, 'clockMs' | 'random'> {
  readonly createProvider: (address: string) => EngineProvider
  readonly onEjected: (deploymentId: string, forMs: number) => void
}

/** The replicas of endpoints as deployments. */
export interface ReplicaDeployments {
  of(route: DedicatedRoute): DeployedModel
  /** Calls in flight by replica, of the replicas of an endpoint. */
  running(endpointId: string): Readonly<Record<string, number>>
  /** Closes connections to replicas that no request was sent to for ten minutes, and where none is in flight. */
  closeUnused(): void
}

interface Entry {
  readonly endpointId: string
  readonly replicaId: string
  readonly engine: EngineProvider
  /** What it answers as; all have the same health. */
  readonly deployments: Map<string, Deployment>
  readonly health: Deployment['health']
  lastUsedMs: number
}

/** Calls in flight to one replica. How many an endpoint takes is decided before. */
const concurrencyMax = 10_000
const unusedMs = 600_000

export function createReplicaDeployments(options: ReplicaDeploymentsOptions): ReplicaDeployments {
  const { clockMs, random, createProvider, onEjected } = options
  const entries = new Map<string, Entry>()
  const budgets = new Map<string, RetryBudget>()

  function create({ id: endpointId }: DedicatedRoute, { id, address }: DedicatedReplica): Entry {
    const engine = createProvider(address)
    const health = createDeploymentHealth({ concurrencyMax, clockMs, random, onEjected: (ms) => onEjected(id, ms) })
    return { endpointId, replicaId: id, engine, deployments: new Map(), health, lastUsedMs: clockMs() }
  }

  function deploymentOf(route: DedicatedRoute, replica: DedicatedReplica): Deployment {
    // A replica has one address for its whole life.
    const entry = entries.get(replica.id) ?? create(route, replica)
    entries.set(replica.id, entry)
    entry.lastUsedMs = clockMs()
    const { servedAs: upstreamModel } = route
    const { health, engine } = entry
    // The address is one of the operator's network, which no log needs.
    const deployment = entry.deployments.get(upstreamModel) ?? {
      id: replica.id,
      provider: engine.provider,
      host: null,
      upstreamModel,
      weight: 1,
      health,
      leastBusy: true,
    }
    entry.deployments.set(upstreamModel, deployment)
    return deployment
  }

  return {
    of(route) {
      const budget = budgets.get(route.id) ?? createRetryBudget()
      budgets.set(route.id, budget)
      return { deployments: route.replicas.map((replica) => deploymentOf(route, replica)), budget }
    },
    running(endpointId) {
      const own = [...entries.values()].filter((entry) => entry.endpointId === endpointId)
      return Object.fromEntries(own.map(({ replicaId, health }) => [replicaId, health.inFlight]))
    },
    closeUnused() {
      const beforeMs = clockMs() - unusedMs
      for (const [id, { engine, health, lastUsedMs, endpointId }] of entries) {
        if (lastUsedMs > beforeMs || health.inFlight > 0) continue
        entries.delete(id)
        budgets.delete(endpointId)
        engine.close()
      }
    },
  }
}
