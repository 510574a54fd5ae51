import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import { notFound } from '@ratchet/service-kit/http/service-error'
import type { StoredVersion } from './model-version.ts'
import type { VersionStore } from './version-store.ts'

/**
 * @param param the field that names it
 * @throws ServiceError `not_found`, also for a version of another workspace
 */
export async function requireVersion(
  versions: Pick<VersionStore, 'get'>,
  { workspaceId }: Pick<Identity, 'workspaceId'>,
  id: string,
  param = 'id',
): Promise<StoredVersion> {
  const uuid = uuidOf('modelVersion', id)
  const version = uuid === null ? null : await versions.get({ workspaceId, id: uuid })
  if (version === null) throw notFound('model version', param)
  return version
}
