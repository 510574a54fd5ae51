import type { Brand } from '@ratchet/contracts/brand'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import type { UpstreamFailure, UpstreamRequest } from '@ratchet/http/upstream-call'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type SigningKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import type { RequestHandler, Router } from 'express'
import type { Logger } from 'pino'
import { isFresh, type Membership, mayGrade, type Person } from '../people/person.ts'
import { findCaller, type PeopleDeps } from '../people/person-routes.ts'
import { requirePerson, unknownWorkspace } from '../people/require-access.ts'
import { requireSameOrigin } from '../people/require-same-origin.ts'
import { callHeaders } from './api-headers.ts'
import { apiTargetOf } from './api-target.ts'
import { forwardCall, type Upstream } from './forward-call.ts'

export interface ApiDeps extends PeopleDeps {
  readonly upstream: Upstream
  /** Signs for the edge. */
  readonly edgeKey: SigningKey
  /** Of calls at the same time, by workspace. */
  readonly apiPlaces: FairPlaces
  readonly brand: Brand
  readonly logger: Logger
}

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * The way to the API: finds the person and what they are in the workspace, signs that for the edge, and streams both ways. What
 * the person may do there is decided by the edge and the services, by the same rules as for keys.
 */
export function apiRoutes(router: Router, deps: ApiDeps): void {
  const forward: RequestHandler = async (request, response, next) => {
    const target = apiTargetOf(request.originalUrl)
    if (target === null || !methods.has(request.method)) return next()
    request.routeName = '/api/w/:slug/…'
    requireSameOrigin({ method: request.method, headers: request.headers, origins: deps.origins })
    const now = deps.now()
    const { person, membership } = await findCaller(deps, request, now)
    const identity = identityOf(requirePerson(person), membership, now)
    const method = request.method as UpstreamRequest['method']
    const bound = { audience: 'edge', requestId: request.id, method, path: target.path }
    const headers = {
      ...callHeaders(request.headers, deps.brand),
      [requestIdHeader]: request.id,
      [identityHeader]: signIdentity(deps.edgeKey, bound, identity, now.getTime()),
    }
    const fail = (failure: UpstreamFailure | 'identity_refused') => next(unanswered(deps, request.id, failure))
    const call = { upstream: deps.upstream, method, path: target.path, headers, request, response, fail }
    await deps.apiPlaces.run(identity.workspaceId, () => forwardCall(call))
  }
  router.all('/api/w/:slug/v1/{*path}', forward)
  router.all('/api/w/:slug/session/{*path}', forward)
}

function identityOf(person: Person, membership: Membership | null, now: Date) {
  if (membership === null) throw unknownWorkspace()
  const { workspaceId, role } = membership
  const session = { id: person.session.id, mayGrade: mayGrade(membership), isFresh: isFresh(person, now) }
  return { workspaceId, userId: person.userId, role, keyId: null, session }
}

/** A failure between the dashboard and the edge is ours: never a 401, 402 or 404. */
function unanswered(
  { logger }: ApiDeps,
  requestId: string,
  failure: UpstreamFailure | 'identity_refused',
): ServiceError {
  if (failure === 'identity_refused') {
    logger.error({ event: 'edge_refused_identity', requestId }, 'the edge refused an identity of the dashboard')
    return new ServiceError('upstream_error', 'The API is not reachable from the dashboard.')
  }
  const { kind, cause } = failure
  if (kind === 'connect' || kind === 'cut') {
    const message = 'The API is unavailable at the moment. Retry.'
    return new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
  }
  return new ServiceError('upstream_error', 'The API did not answer in time.', { cause })
}
