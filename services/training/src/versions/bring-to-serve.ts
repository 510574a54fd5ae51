import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { isServed, type StoredVersion } from './model-version.ts'
import { type ServeDeps, serveInPool } from './serve-routes.ts'
import type { VersionStore } from './version-store.ts'

/** `soon`: engines are loading it. `refused`: nothing will serve it as it is. */
export type Reach =
  | { readonly kind: 'served'; readonly byPool: boolean }
  | { readonly kind: 'soon' }
  | { readonly kind: 'refused'; readonly why: string }

/** Whether requests reach a version. One that nothing serves yet is brought to the pool. May be asked again and again. */
export type BringToServe = (version: Pick<StoredVersion, 'id' | 'workspaceId'>, requestedBy: string) => Promise<Reach>

export interface BringDeps extends Omit<ServeDeps, 'versions'> {
  readonly versions: Pick<VersionStore, 'get'>
}

export function createBringToServe(deps: BringDeps): BringToServe {
  return async ({ id, workspaceId }, requestedBy) => {
    const version = await deps.versions.get({ id, workspaceId })
    if (version === null) return { kind: 'refused', why: 'The version does not exist.' }
    if (isServed(version)) return { kind: 'served', byPool: version.servedAs === null }
    if (version.pool?.state === 'failed') {
      return { kind: 'refused', why: version.pool.error ?? 'No engine of the pool serves the version.' }
    }
    try {
      await serveInPool(deps, version, requestedBy)
      return { kind: 'soon' }
    } catch (error) {
      if (error instanceof ServiceError) return { kind: 'refused', why: error.message }
      throw error
    }
  }
}
