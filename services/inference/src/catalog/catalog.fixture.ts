import { type CatalogSource, checkCatalog } from '@ratchet/contracts/check-catalog'
import { type Catalog, type CatalogModel, createCatalog } from './catalog.ts'

/** A model entry of a catalog file. */
export function modelEntry(id: string, change: object = {}) {
  return {
    id,
    provider: id.split('/')[0] ?? '',
    upstream_model: id.slice(id.indexOf('/') + 1),
    kind: 'chat',
    context_window: 128_000,
    max_output_tokens: 16_384,
    input_per_mtok: '0.15',
    cached_input_per_mtok: '0.075',
    output_per_mtok: '0.60',
    capabilities: ['chat', 'streaming'],
    ...change,
  }
}

/** A catalog of these models, with a provider for each of their prefixes. */
export function catalogOf(
  models: readonly (ReturnType<typeof modelEntry> & { readonly training?: object })[],
  idleProviders: readonly string[] = [],
): Catalog {
  const ids = new Set([...models.map(({ provider }) => provider), ...idleProviders])
  const providers = [...ids].map((id) => ({
    id,
    name: id,
    adapter: 'openai',
    base_url: `https://api.${id}.test/v1`,
    api_key_env: 'KEY',
  }))
  const text = JSON.stringify({ as_of: '2026-11-01', source: 'a price list', providers, models })
  return catalogFrom({ name: 'catalog.json', text })
}

/** The only model of a catalog. */
export function modelOf(change: object = {}): CatalogModel {
  const model = catalogOf([modelEntry('acme/fast', change)]).find('acme/fast')
  if (model === null) throw new Error('the model is not in its own catalog')
  return model
}

function catalogFrom(file: CatalogSource): Catalog {
  const checked = checkCatalog([[file]])
  if (checked.problems.length > 0) throw new Error(checked.problems.join('\n'))
  return createCatalog(checked)
}
