import { ServiceError } from '@ratchet/service-kit/service-error'
import type { Catalog, CatalogModel } from '../domain/catalog.ts'
import { resolveModel } from '../domain/resolve-model.ts'

export interface ModelDeps {
  readonly catalog: Catalog
  /** Ids of the providers that have a key. */
  readonly configuredProviders: ReadonlySet<string>
}

/**
 * The model a request names.
 *
 * @throws ServiceError when there is none that can be called.
 */
export function requireModel({ catalog, configuredProviders }: ModelDeps, name: string): CatalogModel {
  const resolution = resolveModel({ catalog, configuredProviders, name })
  if (resolution.kind === 'found') return resolution.model
  throw new ServiceError(resolution.code, resolution.message, { param: 'model' })
}
