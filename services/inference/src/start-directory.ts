import type { Pool } from '@ratchet/db/connect-pool'
import { createUpstream } from '@ratchet/http/create-upstream'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import type { Dispatcher } from 'undici'
import type { Catalog } from './catalog/catalog.ts'
import { loadCatalog, simulatedCatalogDir } from './catalog/load-catalog.ts'
import type { Environment, InferenceConfig } from './config.ts'
import type { ReplicaDeployments } from './dedicated/replica-deployments.ts'
import type { InferenceEvents } from './events.ts'
import { type AdapterOptions, createProvider } from './providers/create-provider.ts'
import { platformBaseUrl, platformKey } from './providers/platform-access.ts'
import { createWorkspaceProviders } from './providers/workspace-providers.ts'
import { createProviderDirectory } from './routing/create-provider-directory.ts'
import { withPool } from './routing/pool-deployments.ts'
import type { ProviderDirectory } from './routing/provider-directory.ts'
import { startReplicas } from './start-dedicated.ts'
import { startPool } from './start-pool.ts'
import { byokRules } from './start-records.ts'

export interface DirectoryContext {
  readonly config: InferenceConfig
  readonly env: Environment
  readonly lifecycle: Lifecycle
  readonly events: InferenceEvents
  readonly now: () => Date
  readonly pool: Pool
}

interface StartedDirectory {
  readonly catalog: Catalog
  readonly directory: ProviderDirectory
  /** Those of dedicated endpoints. */
  readonly replicas: ReplicaDeployments
}

const closeUnusedEveryMs = 60_000
/** Maximum connections to one address, and maximum concurrent calls of one deployment. */
const maxConnectionsPerAddress = 1_000
/** One workspace's own key must not take the connections of the others. */
const maxConnectionsPerWorkspaceKey = 100

/** The catalog and the deployments of its models, with the platform's keys and with those of workspaces, and replicas. */
export async function startDirectory(context: DirectoryContext): Promise<StartedDirectory> {
  const { config, events, now } = context
  const env = withSimulatedProvider(context)
  const catalog = await openCatalog(config)
  const adapters = { now, clocks: clocksOf(config) }
  const workspaceProviders = startWorkspaceProviders(context, env, adapters)
  const openUpstream = upstreamsOf(context)
  const replicas = startReplicas(context, adapters)
  const directory = createProviderDirectory({
    catalog,
    replicas,
    keyOf: (variable, provider) => platformKey(env, provider, variable),
    baseUrlOf: (provider) => platformBaseUrl(env, provider),
    createProvider: ({ adapter, baseUrl, ...place }) =>
      createProvider(adapter, { baseUrl, ...place, upstream: openUpstream(baseUrl) }, adapters),
    workspaceProvider: (provider, key, workspaceId) => workspaceProviders.of({ provider, key, workspaceId }),
    concurrencyMax: maxConnectionsPerAddress,
    clockMs: () => performance.now(),
    random: Math.random,
    onEjected: events.ejected,
  })
  return { catalog, directory: withPool(directory, startPool({ ...context, adapters })), replicas }
}

function openCatalog(config: InferenceConfig): Promise<Catalog> {
  return loadCatalog(
    ...(config.SIMULATED_PROVIDER_URL === undefined ? [] : [simulatedCatalogDir]),
    ...(config.CATALOG_DIR === undefined ? [] : [config.CATALOG_DIR]),
  )
}

function clocksOf(config: InferenceConfig): AdapterOptions['clocks'] {
  return {
    firstByteMs: config.UPSTREAM_FIRST_BYTE_TIMEOUT_MS,
    idleMs: config.UPSTREAM_IDLE_TIMEOUT_MS,
    totalMs: config.UPSTREAM_TOTAL_TIMEOUT_MS,
  }
}

/** The simulated provider has every API that there is an adapter for, under a provider name of its own for each. */
function withSimulatedProvider({ config, env }: DirectoryContext): Environment {
  const url = config.SIMULATED_PROVIDER_URL
  if (url === undefined) return env
  return {
    ...env,
    SIM_API_KEY: 'simulated',
    SIM_BASE_URL: `${url}/v1`,
    SIM_ANTHROPIC_BASE_URL: `${url}/v1`,
    SIM_GOOGLE_BASE_URL: `${url}/v1beta`,
    SIM_BEDROCK_BASE_URL: url,
  }
}

/**
 * Opens connection pools on demand. One stop handler, registered here before that of the server, closes them all:
 * handlers run in reverse order, and streams need their providers until they have ended.
 */
function upstreamsOf({ config, lifecycle }: DirectoryContext): (baseUrl: string) => Dispatcher {
  const opened: Dispatcher[] = []
  lifecycle.onStop(() => Promise.all(opened.map((upstream) => upstream.destroy())))
  return (baseUrl) => {
    const upstream = createUpstream({
      origin: new URL(baseUrl).origin,
      connections: maxConnectionsPerAddress,
      connectTimeoutMs: config.UPSTREAM_CONNECT_TIMEOUT_MS,
    })
    opened.push(upstream)
    return upstream
  }
}

function startWorkspaceProviders({ config, lifecycle }: DirectoryContext, env: Environment, adapters: AdapterOptions) {
  const providers = createWorkspaceProviders({
    createProvider: ({ adapter, quirks }, access) => createProvider(adapter, { ...access, quirks }, adapters),
    platformBaseUrl: (provider, apiKey) => platformBaseUrl(env, provider, apiKey),
    rules: byokRules(config),
    connections: maxConnectionsPerWorkspaceKey,
    connectTimeoutMs: config.UPSTREAM_CONNECT_TIMEOUT_MS,
    clockMs: () => performance.now(),
  })
  const closeUnused = async () => providers.closeUnused()
  lifecycle.onStop(repeatEvery({ everyMs: closeUnusedEveryMs, work: closeUnused, onError() {} }))
  lifecycle.onStop(() => providers.destroy())
  return providers
}
