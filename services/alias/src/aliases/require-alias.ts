import type { Identity } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { AliasStore, StoredAlias } from './alias.ts'

/** The alias of a name. @throws ServiceError `not_found`, also for another workspace's */
export async function requireAlias(
  aliases: Pick<AliasStore, 'get'>,
  { workspaceId }: Pick<Identity, 'workspaceId'>,
  name: string,
): Promise<StoredAlias> {
  const alias = name.includes('\0') ? null : await aliases.get({ workspaceId, name })
  if (alias === null) throw aliasNotFound()
  return alias
}

export function aliasNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no such alias.', { param: 'name' })
}
