import { type Identity, identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import type { Request, RequestHandler } from 'express'
import type { Logger } from 'pino'
import { type NamedKey, verifyIdentity } from './identity.ts'
import { ServiceError } from './service-error.ts'

const identities = new WeakMap<Request, Identity>()

export interface RequireIdentityOptions {
  readonly audience: string
  readonly keys: readonly NamedKey[]
  readonly now: () => Date
  readonly logger: Logger
}

/**
 * Lets only requests through that carry a valid identity header for this service. Answers 401 to
 * anything else: behind the edge that is an alarm, and the edge turns it into a 502.
 */
export function requireIdentity({ audience, keys, now, logger }: RequireIdentityOptions): RequestHandler {
  return (request, _response, next) => {
    const bound = {
      audience,
      requestId: request.get(requestIdHeader) ?? '',
      method: request.method,
      path: request.originalUrl,
    }
    const identity = verifyIdentity(keys, bound, request.get(identityHeader) ?? '', now().getTime())
    if (identity === null) {
      logger.error({ event: 'identity_refused', requestId: bound.requestId }, 'request without a valid identity')
      throw new ServiceError('invalid_api_key', 'This service answers only the edge.')
    }
    identities.set(request, identity)
    next()
  }
}

/** The identity of a request that passed {@link requireIdentity}. */
export function identityOf(request: Request): Identity {
  const identity = identities.get(request)
  if (identity === undefined) throw new Error('identityOf() on a route without requireIdentity()')
  return identity
}
