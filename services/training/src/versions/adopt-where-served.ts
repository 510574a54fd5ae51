import type { Alias } from '@ratchet/contracts/aliases'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type AdoptDeps, type Adoption, adoptVersion, requireOpen } from './adopt.ts'
import type { StoredVersion } from './model-version.ts'
import { type ServeDeps, serveInPool } from './serve-routes.ts'
import type { VersionStore } from './version-store.ts'

export interface AdoptServedDeps extends AdoptDeps, Omit<ServeDeps, 'versions'> {
  readonly versions: Pick<VersionStore, 'get' | 'users'>
  readonly pause: (ms: number) => Promise<unknown>
}

const lookEveryMs = 250
/** Looks for 15 seconds: an adapter is loaded and proven in less where an engine runs. */
const maxLooks = 60

/**
 * Lets an alias route to a version that is served as its adoption asks for; the pool begins to serve it if it does not.
 *
 * @throws ServiceError what `adoptVersion` throws, `incompatible_adapter`, `quota_exceeded`, and `service_unavailable` while no engine
 *   has proven it
 */
export async function adoptWhereServed(deps: AdoptServedDeps, adoption: Adoption): Promise<Alias> {
  const { version, request, identity } = adoption
  if (request.serve === 'provider' && version.servedAs === null) {
    throw notServed(`No provider serves ${version.name}.`)
  }
  if (request.serve !== 'pool') return await adoptVersion(deps, adoption)
  requireOpen(version)
  await serveInPool(deps, version, identity.userId)
  for (let looks = 0; looks < maxLooks; looks += 1) {
    const alias = await adoptIfReady(deps, adoption)
    if (alias !== null) return alias
    await deps.pause(lookEveryMs)
  }
  const message = `The pool is still loading ${version.name}. Repeat the request.`
  throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 5 })
}

/** Null while no engine has proven it, and until all services know that one has. */
async function adoptIfReady(deps: AdoptServedDeps, adoption: Adoption): Promise<Alias | null> {
  const version: StoredVersion = (await deps.versions.get(adoption.version)) ?? adoption.version
  if (version.pool?.state === 'failed') {
    throw notServed(`The pool cannot serve ${version.name}. ${version.pool.error ?? ''}`.trim())
  }
  if (version.pool?.state !== 'ready') return null
  try {
    return await adoptVersion(deps, { ...adoption, version })
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'version_not_in_catalog') return null
    throw error
  }
}

function notServed(message: string): ServiceError {
  return new ServiceError('version_not_in_catalog', message, { param: 'serve' })
}
