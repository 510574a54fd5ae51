import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Catalog, CatalogModel } from '../catalog/catalog.ts'
import type { WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import type { ProviderDirectory } from './provider-directory.ts'
import { type ModelResolution, resolveModel } from './resolve-model.ts'

export interface ModelDirectory {
  readonly catalog: Catalog
  readonly directory: ProviderDirectory
}

/**
 * The catalog model for a name. Aliases are resolved before; this is the only place where names become models.
 *
 * @throws ServiceError when the model cannot be called
 */
export function requireModel(deps: ModelDirectory, settings: WorkspaceSettings, name: string): CatalogModel {
  const resolution = resolutionOf(deps, settings, name)
  if (resolution.kind === 'found') return resolution.model
  throw new ServiceError(resolution.code, resolution.message(), { param: 'model' })
}

/** True when `requireModel` has a model for the name. */
export function isCallable(deps: ModelDirectory, settings: WorkspaceSettings, name: string): boolean {
  return resolutionOf(deps, settings, name).kind === 'found'
}

function resolutionOf(
  { catalog, directory }: ModelDirectory,
  settings: WorkspaceSettings,
  name: string,
): ModelResolution {
  const { versions, dedicated } = settings
  return resolveModel({ catalog, configuredProviders: directory.configured(settings), versions, dedicated, name })
}
