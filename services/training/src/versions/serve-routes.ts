import { serveModelVersion, unserveModelVersion } from '@ratchet/contracts/model-version-changes'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { adapterName } from '../engines/engines.ts'
import type { PoolRequests } from '../pool/pool-requests.ts'
import type { StoredVersion } from './model-version.ts'
import { requireVersion } from './require-version.ts'
import { versionReply } from './version-reply.ts'
import type { VersionStore } from './version-store.ts'

export interface ServeDeps {
  readonly versions: Pick<VersionStore, 'get' | 'users'>
  readonly poolRequests: PoolRequests
  /** Base models that engines of this installation serve. */
  readonly poolBases: ReadonlySet<string>
  /** Largest rank of an adapter that they take. */
  readonly maxAdapterRank: number
  /** Versions of a workspace that they serve at most. */
  readonly maxPoolVersions: number
}

export function serveRoutes(router: Router, deps: ServeDeps): void {
  const { versions, poolRequests } = deps
  mountJson(router, serveModelVersion, async ({ params, identity }) => {
    const version = await requireVersion(versions, identity, params.id)
    await serveInPool(deps, version, identity.userId)
    return { reply: versionReply(await requireVersion(versions, identity, params.id)) }
  })
  mount(router, unserveModelVersion, async ({ params, identity }) => {
    const version = await requireVersion(versions, identity, params.id)
    if (version.pool !== null && version.servedAs === null) await requireUnused(versions, version)
    await poolRequests.unserve(version)
    return versionReply(await requireVersion(versions, identity, params.id))
  })
}

/**
 * Has the pool serve a version. A repetition changes nothing.
 *
 * @throws ServiceError `conflict`, `incompatible_adapter` or `quota_exceeded`
 */
export async function serveInPool(
  deps: Omit<ServeDeps, 'versions'>,
  version: StoredVersion,
  requestedBy: string,
): Promise<void> {
  requireServable(deps, version)
  const { id, workspaceId, baseModel, sha256 } = version
  const asked = { id, workspaceId, baseModel, adapter: adapterName(id, sha256), requestedBy }
  if (await deps.poolRequests.serve(asked, deps.maxPoolVersions)) return
  const message = `A workspace may have ${deps.maxPoolVersions} versions in the pool. \`DELETE /v1/model_versions/{id}/serve\` takes one out.`
  throw new ServiceError('quota_exceeded', message)
}

function requireServable(
  { poolBases, maxAdapterRank }: Pick<ServeDeps, 'poolBases' | 'maxAdapterRank'>,
  version: StoredVersion,
): void {
  const { isArchived, adapterRank, baseModel, files } = version
  if (isArchived) throw new ServiceError('conflict', 'The version is archived and cannot be served.')
  if (!poolBases.has(baseModel)) {
    throw new ServiceError('incompatible_adapter', `No engine of this installation serves adapters of ${baseModel}.`)
  }
  if (adapterRank === null || files.length === 0) {
    throw new ServiceError(
      'incompatible_adapter',
      'The version has no adapter, so engines cannot share its base model.',
    )
  }
  if (adapterRank > maxAdapterRank) {
    const message = `The adapter has rank ${adapterRank}; engines of this installation take up to ${maxAdapterRank}.`
    throw new ServiceError('incompatible_adapter', message)
  }
}

async function requireUnused(versions: ServeDeps['versions'], version: StoredVersion): Promise<void> {
  const { aliases } = await versions.users(version)
  if (aliases.length === 0) return
  const message = `${version.name} is needed by the alias ${aliases.slice(0, 3).join(', ')}.`
  throw new ServiceError('version_in_use', message, { details: { aliases: [...aliases], job_ids: [] } })
}
