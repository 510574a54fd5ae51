import type { ListedProvider } from '@ratchet/contracts/session-providers'
import type { ModelDirectory } from '../routing/require-model.ts'
import { defaultSettings } from '../workspace-settings/workspace-settings.ts'

/** The providers of the catalog, in its order. */
export function listedProviders({ catalog, directory }: ModelDirectory): ListedProvider[] {
  const installed = directory.configured(defaultSettings)
  return [...catalog.providers.values()].map(({ id, name }) => ({
    object: 'provider',
    id,
    name,
    models: catalog.models.filter(({ provider }) => provider === id).length,
    name_patterns: catalog.families.filter(({ provider }) => provider === id).map((family) => family.id),
    installation_key: installed.has(id),
  }))
}
