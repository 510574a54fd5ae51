import { type CallerName, type CallerRule, mayCall } from '@ratchet/contracts/callers'
import { type Identity, identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import type { Logger } from 'pino'
import type { ServedRequest } from '../http/served.ts'
import { ServiceError } from '../http/service-error.ts'
import { type NamedKey, verifyIdentity } from './identity.ts'

interface Caller {
  /** `any`: a caller that signed with the key of this service, during an upgrade. */
  readonly name: CallerName | 'any'
  readonly identity: Identity
  readonly logger: Logger
  /** Whether it was checked that the caller may call the route. */
  isAdmitted: boolean
}

const callers = new WeakMap<object, Caller>()

export interface RequireIdentityOptions {
  readonly audience: string
  /** The keys of this service. Those of its callers are derived from them. */
  readonly keys: readonly NamedKey[]
  /** Whether other callers than the edge may sign with the keys of this service, as in the previous release. */
  readonly acceptsSharedKeys?: boolean
  readonly now: () => Date
  readonly logger: Logger
}

/**
 * Accepts only requests with a valid identity header for this service, and answers 401 to others. Behind the edge that
 * must not happen: it is logged as an error, and the edge answers 502.
 */
export function requireIdentity({ audience, keys, acceptsSharedKeys = false, now, logger }: RequireIdentityOptions) {
  return (request: ServedRequest, _response: unknown, next: () => void): void => {
    const bound = {
      audience,
      requestId: headerOf(request, requestIdHeader),
      method: request.method,
      path: request.originalUrl,
    }
    const verified = verifyIdentity(keys, bound, headerOf(request, identityHeader), now().getTime())
    if (verified === null) {
      logger.error({ event: 'identity_refused', requestId: bound.requestId }, 'request without a valid identity')
      throw new ServiceError('invalid_api_key', 'This service accepts requests of the edge only.')
    }
    const { caller, identity } = verified
    const name = acceptsSharedKeys && caller === 'edge' ? 'any' : caller
    callers.set(request, { name, identity, logger, isAdmitted: false })
    next()
  }
}

/** The workspace that a request is made for; null for one without an identity. */
export function workspaceOf(request: object): string | null {
  return callers.get(request)?.identity.workspaceId ?? null
}

/**
 * Checks that the caller may call a route, for the purpose of its identity, and that a route for people is called for one.
 *
 * @throws ServiceError 403
 */
export function admitCaller(request: Pick<ServedRequest, 'headers'>, rule: CallerRule): void {
  const caller = callerOf(request)
  const { name, identity, logger } = caller
  if (name !== 'any' && !mayCall(name, rule, identity)) {
    logger.error({ event: 'caller_refused', caller: name, purpose: identity.purpose }, 'a service may not call this')
    throw new ServiceError('insufficient_permissions', 'The calling service may not do this.')
  }
  if (rule.audience === 'session' && identity.session === undefined) {
    logger.error({ event: 'caller_refused', caller: name }, 'an endpoint for people was called without a session')
    throw new ServiceError('insufficient_permissions', 'This exists only for people who signed in to the dashboard.')
  }
  caller.isAdmitted = true
}

/** The identity of a request that passed {@link requireIdentity} and {@link admitCaller}. */
export function identityOf(request: Pick<ServedRequest, 'headers'>): Identity {
  const { identity, isAdmitted } = callerOf(request)
  if (!isAdmitted) throw new Error('identityOf() on a route without admitCaller()')
  return identity
}

function callerOf(request: Pick<ServedRequest, 'headers'>): Caller {
  const caller = callers.get(request)
  if (caller === undefined) throw new Error('identityOf() on a route without requireIdentity()')
  return caller
}

function headerOf({ headers }: ServedRequest, name: string): string {
  return headers[name]?.toString() ?? ''
}
