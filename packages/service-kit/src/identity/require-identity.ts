import { type Identity, identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import type { Logger } from 'pino'
import type { ServedRequest } from '../http/served.ts'
import { ServiceError } from '../http/service-error.ts'
import { type NamedKey, verifyIdentity } from './identity.ts'

const identities = new WeakMap<object, Identity>()

export interface RequireIdentityOptions {
  readonly audience: string
  readonly keys: readonly NamedKey[]
  readonly now: () => Date
  readonly logger: Logger
}

/**
 * Accepts only requests with a valid identity header for this service, and answers 401 to others. Behind the edge that
 * must not happen: it is logged as an error, and the edge answers 502.
 */
export function requireIdentity({ audience, keys, now, logger }: RequireIdentityOptions) {
  return (request: ServedRequest, _response: unknown, next: () => void): void => {
    const bound = {
      audience,
      requestId: headerOf(request, requestIdHeader),
      method: request.method,
      path: request.originalUrl,
    }
    const identity = verifyIdentity(keys, bound, headerOf(request, identityHeader), now().getTime())
    if (identity === null) {
      logger.error({ event: 'identity_refused', requestId: bound.requestId }, 'request without a valid identity')
      throw new ServiceError('invalid_api_key', 'This service accepts requests of the edge only.')
    }
    identities.set(request, identity)
    next()
  }
}

/** The identity of a request that passed {@link requireIdentity}. */
export function identityOf(request: Pick<ServedRequest, 'headers'>): Identity {
  const identity = identities.get(request)
  if (identity === undefined) throw new Error('identityOf() on a route without requireIdentity()')
  return identity
}

function headerOf({ headers }: ServedRequest, name: string): string {
  return headers[name]?.toString() ?? ''
}
