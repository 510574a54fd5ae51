import type { Provider } from '../wire/provider.ts'
import type { VersionPool } from '../workspace-settings/version-route.ts'
import type { Deployment } from './deployment.ts'
import { createDeploymentHealth, type HealthOptions } from './deployment-health.ts'
import type { DeployedModel, ProviderDirectory } from './provider-directory.ts'
import { createRetryBudget } from './retry-budget.ts'

/** Versions that engines of the pool serve, with the health of each at each engine. */
export interface PoolDeployments {
  of(pool: VersionPool, workspaceId: string): DeployedModel
  known(): readonly DeployedModel[]
}

export interface PoolDeploymentsOptions extends Pick<HealthOptions, 'clockMs' | 'random'> {
  /** The engine at an address, for requests of a workspace. */
  readonly engine: (address: string, workspaceId: string) => Provider
  /** Has a version loaded, and answers with an engine that has it then. */
  readonly waking: (pool: VersionPool, workspaceId: string) => Provider
  /** Notes that a version is used. It returns at once. */
  readonly noteUse: (versionId: string, workspaceId: string) => void
  /** Maximum calls in flight of a version at an engine. */
  readonly concurrencyMax: number
  readonly onEjected: (deploymentId: string, forMs: number) => void
}

/** Maximum number of versions that are remembered. Beyond it the oldest start with a new health. */
const remembered = 10_000

interface Known extends DeployedModel {
  readonly addresses: readonly string[]
}

/**
 * The engines that have a version, each as a deployment, and after them one that has the version loaded: it is called when there
 * is no engine, or when all have failed, such as engines that were just restarted.
 */
export function createPoolDeployments(options: PoolDeploymentsOptions): PoolDeployments {
  const known = new Map<string, Known>()

  function build(pool: VersionPool, workspaceId: string, before: Known | undefined): Known {
    const healthy = new Map(before?.deployments.map((deployment) => [deployment.id, deployment]))
    const deploymentOf = (where: string, weight: number, provider: Provider): Deployment => {
      const id = `${pool.adapter}@${where}`
      const same = healthy.get(id)
      return { id, host: 'pool', provider, upstreamModel: pool.adapter, weight, health: same?.health ?? healthOf(id) }
    }
    const engines = pool.addresses.map((address) =>
      deploymentOf(new URL(address).host, 1, options.engine(address, workspaceId)),
    )
    const waking = deploymentOf('any', 0, options.waking(pool, workspaceId))
    return {
      addresses: pool.addresses,
      deployments: [...engines, waking],
      budget: before?.budget ?? createRetryBudget(),
    }
  }

  function healthOf(id: string) {
    const { concurrencyMax, clockMs, random, onEjected } = options
    return createDeploymentHealth({ concurrencyMax, clockMs, random, onEjected: (forMs) => onEjected(id, forMs) })
  }

  return {
    of(pool, workspaceId) {
      options.noteUse(pool.versionId, workspaceId)
      const found = known.get(pool.adapter)
      // The list is replaced whenever it is read again.
      if (found !== undefined && found.addresses === pool.addresses) return found
      const [oldest] = known.keys()
      if (found === undefined && known.size >= remembered && oldest !== undefined) known.delete(oldest)
      const built = build(pool, workspaceId, found)
      known.set(pool.adapter, built)
      return built
    },
    known: () => [...known.values()],
  }
}

/** A directory whose models run in the pool where they say so. */
export function withPool(directory: ProviderDirectory, pool: PoolDeployments): ProviderDirectory {
  return {
    configured: (settings) => directory.configured(settings),
    deploymentsOf: (model, caller) =>
      model.pool === undefined ? directory.deploymentsOf(model, caller) : pool.of(model.pool, caller.workspaceId),
    ejected: () => [...directory.ejected(), ...pool.known().flatMap(ejectedOf)],
  }
}

function ejectedOf({ deployments }: DeployedModel): readonly Deployment[] {
  return deployments.filter(({ health }) => health.isEjected())
}
