import type { ServerResponse } from 'node:http'
import type { Endpoint, Permission } from '@ratchet/contracts/endpoint'
import type { Identity, Role } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type AbuseGuard, countGuardedCall } from '../abuse-guard/abuse-guard.ts'
import type { EdgeEvents } from '../events.ts'
import type { Forwarders } from '../forward/create-forwarders.ts'
import { traceForwarded } from '../forward/trace-request.ts'
import type { KeyUseLog } from '../keys/key-use.ts'
import { bodyLimit, checkDeclaredLength } from './body-limit.ts'
import type { EndpointIndex } from './endpoint-index.ts'
import { contextOf, type EdgeRequest, type Fail } from './request-context.ts'
import { unknownUrl } from './unknown-url.ts'

/** Resolves with the caller of a request. It rejects with a ServiceError when there is none. */
export type Identify = (request: EdgeRequest) => Promise<Identity>

export interface AdmitDeps {
  readonly identify: Identify
  readonly keyUse: Pick<KeyUseLog, 'note'>
  readonly index: EndpointIndex
  readonly abuseGuard: AbuseGuard
  readonly events: EdgeEvents
  readonly forwarders: Forwarders
  readonly now: () => Date
}

/**
 * Admits and forwards every request to the API. An unknown URL with an invalid key is a 401, because a caller without a
 * key must not learn which URLs exist. It does not pass Express, which costs ten microseconds.
 */
export function admitRequest(deps: AdmitDeps) {
  return (request: EdgeRequest, response: ServerResponse, fail: Fail): void => {
    deps
      .identify(request)
      .then((identity) => admit(deps, identity, { request, response, fail }))
      .catch(fail)
  }
}

interface Call {
  readonly request: EdgeRequest
  readonly response: ServerResponse
  readonly fail: Fail
}

/** Returns a promise only if it waits for something, because a promise costs time. */
function admit(deps: AdmitDeps, identity: Identity, call: Call): Promise<void> | void {
  if (identity.keyId !== null) deps.keyUse.note(identity.keyId, deps.now())
  const context = contextOf(call.request)
  context.caller = identity
  const endpoint = findEndpoint(deps.index, call.request.method, context.target.path)
  call.request.routeName = endpoint.path
  authorize(endpoint, identity)
  context.identity = identity
  context.endpoint = endpoint
  context.limits = endpoint
  if (!endpoint.guard) return forward(deps, endpoint, call)
  const counted = countGuardedCall(deps.abuseGuard, identity.workspaceId, deps.events)
  return counted.then(() => forward(deps, endpoint, call))
}

export function findEndpoint(index: EndpointIndex, method: string, path: string): Endpoint {
  const lookup = index.find(method, path)
  if (lookup.kind === 'found') return lookup.endpoint
  if (lookup.kind === 'unknown-url') throw unknownUrl(index, path)
  const { allow } = lookup
  throw new ServiceError('method_not_allowed', `This URL answers ${allow}.`, { headers: { allow } })
}

function forward({ forwarders }: AdmitDeps, endpoint: Endpoint, { request, response, fail }: Call): void {
  // The client may have disconnected while the key was read. There is no second event for that.
  if (response.destroyed) return
  const { head } = contextOf(request)
  checkDeclaredLength(head, bodyLimit(head, endpoint))
  if (head.expectsContinue) response.writeContinue()
  traceForwarded(request, response, endpoint.path)
  forwarders[endpoint.service].forward(request, response, fail)
}

/** Roles that have a permission. */
const allowed: Readonly<Record<Permission, { readonly roles: readonly Role[]; readonly inWords: string }>> = {
  any: { roles: ['owner', 'admin', 'member'], inWords: 'a member' },
  grader: { roles: ['owner', 'admin'], inWords: 'a member who may grade' },
  owner_admin: { roles: ['owner', 'admin'], inWords: 'an owner or admin' },
  owner: { roles: ['owner'], inWords: 'an owner' },
}

/** @throws ServiceError `insufficient_permissions`, which names the required role, or `fresh_sign_in_required` */
export function authorize({ permission, needsFreshSignIn }: Endpoint, { role, session }: Identity): void {
  const { roles, inWords } = allowed[permission]
  const mayGrade = permission === 'grader' && session?.mayGrade === true
  if (!roles.includes(role) && !mayGrade) {
    const user = session === undefined ? 'The user of this key is' : 'You are'
    const required = session === undefined ? `a key of ${inWords}` : inWords
    throw new ServiceError('insufficient_permissions', `This requires ${required} of the workspace. ${user} ${role}.`)
  }
  if (needsFreshSignIn && session?.isFresh !== true) {
    throw new ServiceError('fresh_sign_in_required', 'Sign in again to do this: it changes money or rights.')
  }
}
