import type { Catalog, CatalogModel } from '../catalog/catalog.ts'
import { dedicatedModel } from '../dedicated/dedicated-model.ts'
import { type DedicatedRoute, isDedicated } from '../dedicated/dedicated-route.ts'
import type { VersionRoute } from '../workspace-settings/version-route.ts'
import { otherNames } from './other-names.ts'

export type ModelResolution =
  | { readonly kind: 'found'; readonly model: CatalogModel }
  | {
      readonly kind: 'refused'
      readonly code: 'model_not_found' | 'unknown_provider' | 'dedicated_endpoint_not_found'
      /** For the client; it names candidates when there are any. Finding them takes time, so call it to send it only. */
      message(): string
    }

export interface ModelRequest {
  readonly catalog: Catalog
  /** Ids of the providers that have a key. */
  readonly configuredProviders: ReadonlySet<string>
  /** Model versions of the workspace, by name. */
  readonly versions: ReadonlyMap<string, VersionRoute>
  /** Dedicated endpoints of the workspace, by name. */
  readonly dedicated: ReadonlyMap<string, DedicatedRoute>
  /** The `model` of the request, or the model that an alias routes to. */
  readonly name: string
}

type CatalogRequest = Omit<ModelRequest, 'versions' | 'dedicated'>

/**
 * Finds the model that a name means. A name with the id of a provider as prefix means only that provider, so
 * `openai/gpt-oss-120b` is never answered by another host of that model. A name without such a prefix means the model
 * of the single provider with a key that offers it; with several such providers it is refused. A name that the catalog
 * does not have may be another name of a model, or that of a dated snapshot: the model of its family answers, under the
 * name and at the price that the catalog has. A model version of the workspace comes before the catalog.
 */
export function resolveModel(request: ModelRequest): ModelResolution {
  if (isDedicated(request.name)) return resolveDedicated(request)
  const version = request.versions.size === 0 ? undefined : request.versions.get(request.name)
  const ofVersion = version === undefined ? null : resolveVersion(request, version)
  if (ofVersion !== null) return ofVersion
  const exact = resolveExact(request)
  if (exact.kind === 'found' || exact.code !== 'model_not_found') return exact
  for (const name of otherNames(request)) {
    const resolution = resolveExact({ ...request, name })
    // Several providers may offer it, or none that has a key.
    if (resolution.kind === 'found' || request.catalog.named(name).length > 0) return resolution
  }
  return exact
}

function resolveDedicated({ catalog, dedicated, name }: ModelRequest): ModelResolution {
  const route = dedicated.get(name)
  const base = route === undefined ? null : catalog.find(route.baseModel)
  if (route !== undefined && base !== null) return { kind: 'found', model: dedicatedModel(base, route) }
  return refused('dedicated_endpoint_not_found', `There is no dedicated endpoint ${quote(name)} in this workspace.`)
}

/**
 * A version answers as the model that serves it, at the price of its base: in the pool while an engine there has it, else as a
 * model of the catalog. Null when its base or its server is gone.
 */
function resolveVersion(request: ModelRequest, version: VersionRoute): ModelResolution | null {
  const base = request.catalog.find(version.baseModel)
  const served =
    base === null ? null : (pooledOf(base, version) ?? serverOf(request, { base, servedAs: version.servedAs }))
  return base === null || served === null ? null : { kind: 'found', model: versionModel({ base, served, version }) }
}

/** What only the pool serves is loaded there when it is asked for. */
function pooledOf(base: CatalogModel, { pool, servedAs }: VersionRoute): CatalogModel | null {
  if (pool === null || (pool.addresses.length === 0 && servedAs !== null)) return null
  return { ...base, deployments: [], upstreamModel: pool.adapter, pool }
}

/** A model of the catalog, or one that the provider of the base has trained: that one is in no catalog, and is like its base. */
function serverOf(
  request: ModelRequest,
  { base, servedAs }: { readonly base: CatalogModel; readonly servedAs: string | null },
): CatalogModel | null {
  if (servedAs === null) return null
  const found = resolveExact({ ...request, name: servedAs })
  if (found.kind === 'found') return found.model
  const prefix = `${base.provider}/`
  const isOwn = trainingProviders.has(base.provider) && servedAs.startsWith(prefix)
  if (!isOwn || !request.configuredProviders.has(base.provider)) return null
  return { ...base, deployments: [], upstreamModel: servedAs.slice(prefix.length) }
}

/** Providers that train models for us and serve them under names of theirs. */
const trainingProviders: ReadonlySet<string> = new Set(['together', 'fireworks'])

interface ServedVersion {
  readonly base: CatalogModel
  readonly served: CatalogModel
  readonly version: VersionRoute
}

/** The model of the catalog that a version is for its workspace. */
function versionModel({ base, served, version }: ServedVersion): CatalogModel {
  const {
    rates,
    tiers,
    perRequestNano,
    perSearchNano,
    perUnitNano,
    hostedTools,
    serviceTiers,
    listPrices,
    priceVersion,
  } = base
  return {
    ...served,
    rates,
    tiers,
    perRequestNano,
    perSearchNano,
    perUnitNano,
    hostedTools,
    serviceTiers,
    listPrices,
    priceVersion,
    id: version.name,
    training: null,
    asOf: version.createdAt.toISOString().slice(0, 10),
  }
}

function resolveExact({ catalog, configuredProviders, name }: CatalogRequest): ModelResolution {
  const model = catalog.find(name)
  const prefix = model?.provider ?? name.slice(0, Math.max(0, name.indexOf('/')))
  if (catalog.providers.has(prefix)) {
    if (!configuredProviders.has(prefix)) {
      return refused('unknown_provider', `No key is configured for the provider "${prefix}" of ${quote(name)}.`)
    }
    return model === null ? notFound({ catalog, configuredProviders, name }) : { kind: 'found', model }
  }
  return resolveUnprefixed({ catalog, configuredProviders, name })
}

function resolveUnprefixed({ catalog, configuredProviders, name }: CatalogRequest): ModelResolution {
  const candidates = catalog.named(name)
  const [model, ...others] = candidates.filter(({ provider }) => configuredProviders.has(provider))
  if (model !== undefined && others.length === 0) return { kind: 'found', model }
  if (model !== undefined) {
    const ids = [model, ...others].map(({ id }) => id).join(', ')
    return refused('model_not_found', `Several providers offer ${quote(name)}; name one of: ${ids}.`)
  }
  if (candidates.length > 0) {
    const providers = candidates.map(({ provider }) => provider).join(', ')
    return refused('model_not_found', `No key is configured for a provider of ${quote(name)} (${providers}).`)
  }
  return notFound({ catalog, configuredProviders, name })
}

function notFound({ catalog, configuredProviders, name }: CatalogRequest): ModelResolution {
  const message = () => {
    const elsewhere = catalog.named(name).map(({ id }) => id)
    const alike = elsewhere.length > 0 ? elsewhere : catalog.alike(name, configuredProviders)
    const hint = alike.length === 0 ? 'GET /v1/models lists what can be called.' : `Did you mean ${alike.join(' or ')}?`
    return `The model ${quote(name)} is not in the catalog. ${hint}`
  }
  return { kind: 'refused', code: 'model_not_found', message }
}

type RefusalCode = Extract<ModelResolution, { kind: 'refused' }>['code']

function refused(code: RefusalCode, message: string): ModelResolution {
  return { kind: 'refused', code, message: () => message }
}

/** The client's own text on one line, shortened. */
function quote(name: string): string {
  return JSON.stringify(name.length > 128 ? `${name.slice(0, 128)}…` : name)
}
