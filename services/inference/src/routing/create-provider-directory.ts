import type { Catalog, CatalogModel, CatalogProvider } from '../catalog/catalog.ts'
import type { ProviderQuirks } from '../catalog/provider-quirks.ts'
import { dedicatedProvider } from '../dedicated/dedicated-route.ts'
import type { ReplicaDeployments } from '../dedicated/replica-deployments.ts'
import type { Provider } from '../wire/provider.ts'
import type { ProviderKey, WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import type { Deployment } from './deployment.ts'
import { createDeploymentHealth, type HealthOptions } from './deployment-health.ts'
import type { DeployedModel, ModelCaller, ProviderDirectory } from './provider-directory.ts'
import { createRetryBudget } from './retry-budget.ts'

/** An address that is called with a key, and the adapter for it. */
export interface Place {
  readonly adapter: CatalogProvider['adapter']
  /** Without a slash at the end. */
  readonly baseUrl: string
  /** Empty for a provider that needs none. */
  readonly apiKey: string
  readonly quirks?: ProviderQuirks
}

export interface DirectoryOptions extends Pick<HealthOptions, 'clockMs' | 'random'> {
  readonly catalog: Catalog
  /** The platform's key by the name of its variable; null when it is not set. */
  readonly keyOf: (variable: string, provider: CatalogProvider) => string | null
  /** The address of a provider when its catalog entry does not decide it. */
  readonly baseUrlOf: (provider: CatalogProvider) => string
  readonly createProvider: (place: Place) => Provider
  readonly replicas: Pick<ReplicaDeployments, 'of'>
  readonly workspaceProvider: (provider: CatalogProvider, key: ProviderKey, workspaceId: string) => Provider
  /** Maximum calls in flight to a deployment without a limit of its own. */
  readonly concurrencyMax: number
  readonly onEjected: (deploymentId: string, forMs: number) => void
}

/**
 * Maximum number of models and workspaces whose health is remembered. Beyond it the oldest are deleted and start with a
 * new health.
 */
const remembered = 10_000

/** The deployments of models. Models share places; each model has its own health at each place. */
export function createProviderDirectory(options: DirectoryOptions): ProviderDirectory {
  const { catalog } = options
  const platform = new Map(
    [...catalog.providers.values()].flatMap((provider) => {
      const apiKey = options.keyOf(provider.apiKeyEnv, provider)
      return apiKey === null ? [] : [[provider.id, { provider, apiKey }] as const]
    }),
  )
  const platformIds: ReadonlySet<string> = new Set(platform.keys())
  const budgets = new Map([...catalog.providers.keys()].map((id) => [id, createRetryBudget()]))
  const places = new Map<string, Provider>()
  const known = new Map<string, DeployedModel>()

  function providerAt(place: Place): Provider {
    const name = JSON.stringify([place.adapter, place.baseUrl, place.apiKey, place.quirks])
    const provider = places.get(name) ?? options.createProvider(place)
    places.set(name, provider)
    return provider
  }

  function remember(name: string, build: () => DeployedModel): DeployedModel {
    const found = known.get(name)
    if (found !== undefined) return found
    if (known.size >= remembered) removeOldest(known)
    const deployed = build()
    known.set(name, deployed)
    return deployed
  }

  function ofPlatform(model: CatalogModel): DeployedModel {
    const found = platform.get(model.provider)
    const budget = budgets.get(model.provider)
    if (found === undefined || budget === undefined) throw new Error(`no key for ${model.provider}`)
    return remember(model.id, () => ({
      deployments: platformDeployments({ options, providerAt, model, ...found }),
      budget,
    }))
  }

  function ofWorkspace(model: CatalogModel, key: ProviderKey, workspaceId: string): DeployedModel {
    const { concurrencyMax } = requireProvider(catalog, model)
    const provider = options.workspaceProvider(requireProvider(catalog, model), key, workspaceId)
    const { deployments, budget } = remember(`${workspaceId} ${key.id} ${model.id}`, () => ({
      deployments: [
        deploymentOf(options, {
          id: `${model.id}@${key.id}`,
          host: null,
          model,
          provider,
          max: concurrencyMax,
          weight: 1,
        }),
      ],
      budget: createRetryBudget(),
    }))
    // The connection pool of an idle workspace may have been closed and opened again.
    return { deployments: deployments.map((deployment) => ({ ...deployment, provider })), budget }
  }

  return {
    configured({ providerKeys, unusableProviders }: WorkspaceSettings) {
      if (providerKeys.size === 0 && unusableProviders.size === 0) return platformIds
      return new Set([...platformIds, ...providerKeys.keys()].filter((id) => !unusableProviders.has(id)))
    },
    deploymentsOf(model, { workspaceId, settings }: ModelCaller) {
      if (model.provider === dedicatedProvider) return ofEndpoint(options, model, settings)
      const own = settings.providerKeys.get(model.provider)
      return own === undefined ? ofPlatform(model) : ofWorkspace(model, own, workspaceId)
    },
    ejected: () =>
      [...known.values()].flatMap(({ deployments }) => deployments.filter(({ health }) => health.isEjected())),
  }
}

function ofEndpoint(
  { replicas }: DirectoryOptions,
  { id }: CatalogModel,
  { dedicated }: WorkspaceSettings,
): DeployedModel {
  const route = dedicated.get(id)
  if (route === undefined) throw new Error(`no endpoint ${id}`)
  return replicas.of(route)
}

interface PlatformModel {
  readonly options: DirectoryOptions
  readonly providerAt: (place: Place) => Provider
  readonly model: CatalogModel
  readonly provider: CatalogProvider
  readonly apiKey: string
}

/** The model's places that have a key, or its provider when it names none. */
function platformDeployments({ options, providerAt, model, provider, apiKey }: PlatformModel): readonly Deployment[] {
  const { adapter, concurrencyMax } = provider
  const quirks = provider.quirks === undefined ? {} : { quirks: provider.quirks }
  const baseUrl = options.baseUrlOf(provider)
  const named = model.deployments.flatMap((each) => {
    const key = each.apiKeyEnv === null ? apiKey : options.keyOf(each.apiKeyEnv, provider)
    if (key === null) return []
    const placedAt = each.baseUrl ?? baseUrl
    const speaker = providerAt({ adapter, baseUrl: placedAt, apiKey: key, ...quirks })
    const max = each.concurrencyMax ?? concurrencyMax
    const placed = { ...model, upstreamModel: each.upstreamModel ?? model.upstreamModel }
    return [
      deploymentOf(options, {
        id: `${model.id}@${each.id}`,
        host: hostOf(placedAt),
        model: placed,
        provider: speaker,
        max,
        weight: each.weight,
      }),
    ]
  })
  if (named.length > 0) return named
  const speaker = providerAt({ adapter, baseUrl, apiKey, ...quirks })
  return [
    deploymentOf(options, {
      id: model.id,
      host: hostOf(baseUrl),
      model,
      provider: speaker,
      max: concurrencyMax,
      weight: 1,
    }),
  ]
}

function hostOf(baseUrl: string): string {
  return new URL(baseUrl).hostname
}

interface PlacedModel {
  readonly id: string
  readonly host: string | null
  readonly model: CatalogModel
  readonly provider: Provider
  readonly max: number | null
  readonly weight: number
}

function deploymentOf(options: DirectoryOptions, placed: PlacedModel): Deployment {
  const { id, host, model, provider, max, weight } = placed
  const { clockMs, random, onEjected } = options
  const concurrencyMax = max ?? options.concurrencyMax
  const health = createDeploymentHealth({ concurrencyMax, clockMs, random, onEjected: (forMs) => onEjected(id, forMs) })
  return { id, host, provider, upstreamModel: model.upstreamModel, weight, health }
}

function requireProvider(catalog: Catalog, { provider }: CatalogModel): CatalogProvider {
  const found = catalog.providers.get(provider)
  if (found === undefined) throw new Error(`no provider ${provider}`)
  return found
}

function removeOldest(known: Map<string, DeployedModel>): void {
  const [oldest] = known.keys()
  if (oldest !== undefined) known.delete(oldest)
}
