import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ModelEntry, ProviderEntry } from '@ratchet/contracts/catalog-file'

export interface MountedModels {
  readonly providers: readonly (Pick<ProviderEntry, 'id'> & Partial<ProviderEntry>)[]
  /** Models; a field that is left out is that of a cheap chat model with the upstream name `sim/echo`. */
  readonly models: readonly (Pick<ModelEntry, 'id'> & Partial<ModelEntry>)[]
}

export interface MountedCatalog {
  /** For CATALOG_DIR. */
  readonly folder: string
  remove(): Promise<void>
}

/** Creates a folder with one catalog file, like an operator. Providers without a key variable use the simulated one's. */
export async function mountedCatalog({ providers, models }: MountedModels): Promise<MountedCatalog> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ratchet-catalog-'))
  const file = {
    as_of: '2026-11-01',
    source: 'a test',
    providers: providers.map((each) => ({ name: each.id, adapter: 'openai', api_key_env: 'SIM_API_KEY', ...each })),
    models: models.map(modelEntry),
  }
  await writeFile(path.join(folder, 'catalog.json'), JSON.stringify(file))
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

function modelEntry(model: MountedModels['models'][number]) {
  return {
    provider: model.id.split('/')[0],
    upstream_model: 'sim/echo',
    kind: 'chat',
    context_window: 128_000,
    max_output_tokens: 16_384,
    input_per_mtok: '1',
    cached_input_per_mtok: null,
    output_per_mtok: '2',
    capabilities: ['chat', 'streaming'],
    ...model,
  }
}
