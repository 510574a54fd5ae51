import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** For who was an owner when the request came, and is none any more. */
export function noOwner(): ServiceError {
  return new ServiceError(
    'insufficient_permissions',
    'Only owners of the workspace may do this. You are none any more.',
  )
}
