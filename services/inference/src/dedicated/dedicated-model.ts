import type { CatalogModel } from '../catalog/catalog.ts'
import { type DedicatedRoute, dedicatedProvider } from './dedicated-route.ts'

const free = { input: 0n, cachedInput: 0n, cacheWrite: 0n, cacheWriteLong: null, output: 0n }

/** The model that an endpoint is: its base, without a price, because the time of its replicas is charged. */
export function dedicatedModel(base: CatalogModel, route: DedicatedRoute): CatalogModel {
  const contextWindow = Math.min(base.contextWindow, route.maxContextLength)
  return {
    ...base,
    id: route.name,
    provider: dedicatedProvider,
    upstreamModel: route.servedAs,
    deployments: [],
    contextWindow,
    maxOutputTokens: Math.min(base.maxOutputTokens, contextWindow),
    rates: free,
    tiers: [],
    perRequestNano: 0n,
    perSearchNano: 0n,
    perUnitNano: 0n,
    hostedTools: new Map(),
    serviceTiers: new Map(),
    listPrices: { input_per_mtok: '0', cached_input_per_mtok: '0', output_per_mtok: '0' },
    training: null,
    asOf: route.createdAt.toISOString().slice(0, 10),
    priceVersion: 'dedicated',
  }
}
