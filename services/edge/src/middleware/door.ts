import type { Identity } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { type AbuseGuard, countGuardedCall } from '../abuse-guard.ts'
import { authorize } from '../domain/authorize.ts'
import { bodyLimit, checkDeclaredLength } from '../domain/body-limit.ts'
import { callerKey } from '../domain/caller-key.ts'
import type { Destination, EndpointIndex } from '../endpoint-index.ts'
import type { EdgeEvents } from '../events.ts'
import type { Forwarder } from '../forward/forwarder.ts'
import { traceExchange } from '../forward/trace-exchange.ts'
import type { KeyUseLog } from '../keys/key-use.ts'
import type { KeyVerifier } from '../keys/key-verifier.ts'
import { passageOf } from '../passage.ts'
import type { Route } from '../routing-table.ts'

export interface DoorDeps {
  readonly keys: KeyVerifier
  readonly keyUse: Pick<KeyUseLog, 'note'>
  readonly index: EndpointIndex
  readonly abuseGuard: AbuseGuard
  readonly events: EdgeEvents
  readonly forwarders: ReadonlyMap<Route, Forwarder>
  readonly now: () => Date
}

/**
 * The way of every request that needs a key. An unknown URL with a bad key is a 401: who may not come in
 * does not learn what is inside. One middleware instead of six, because each costs a microsecond.
 */
export function door(deps: DoorDeps): RequestHandler {
  return (request, response, next) => {
    const { head, target } = passageOf(request)
    deps.keys
      .verify(callerKey(head, target.path), request.socket.remoteAddress ?? '')
      .then((identity) => admit(deps, identity, { request, response, next }))
      .catch(next)
  }
}

interface Call {
  readonly request: Request
  readonly response: Response
  readonly next: NextFunction
}

/** Returns a promise only where something is waited for. */
function admit(deps: DoorDeps, identity: Identity, call: Call): Promise<void> | void {
  deps.keyUse.note(identity.keyId, deps.now())
  const passage = passageOf(call.request)
  const destination = findDestination(deps.index, call.request.method, passage.target.path)
  call.request.routeName = destination.pattern
  authorize(destination.rule.permission, identity.role)
  passage.identity = identity
  passage.destination = destination
  if (!destination.rule.guard) return forward(deps, destination, call)
  const counted = countGuardedCall(deps.abuseGuard, identity.workspaceId, deps.events)
  return counted.then(() => forward(deps, destination, call))
}

function findDestination(index: EndpointIndex, method: string, path: string): Destination {
  const lookup = index.find(method, path)
  if (lookup.kind === 'found') return lookup.destination
  if (lookup.kind === 'unknown-url') throw new ServiceError('unknown_url', 'No such URL.')
  const { allow } = lookup
  throw new ServiceError('method_not_allowed', `This URL answers ${allow}.`, { headers: { allow } })
}

function forward({ forwarders }: DoorDeps, { route }: Destination, { request, response, next }: Call): void {
  // The caller may have left while the key was looked up; its leaving is not announced twice.
  if (response.destroyed) return
  const { head } = passageOf(request)
  checkDeclaredLength(head, bodyLimit(head, route))
  if (head.expectsContinue) response.writeContinue()
  traceExchange(request, response)
  const forwarder = forwarders.get(route)
  if (forwarder === undefined) throw new Error(`no forwarder for ${route.prefix}`)
  forwarder.forward(request, response, next)
}
