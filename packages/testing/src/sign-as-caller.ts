import { type CallerRule, mayCall } from '@ratchet/contracts/callers'
import { capturesPath, capturesRule } from '@ratchet/contracts/captured-exchange'
import { type Endpoint, type EndpointCaller, endpointCallers } from '@ratchet/contracts/endpoint'
import { endpoints } from '@ratchet/contracts/endpoints'
import type { Identity } from '@ratchet/contracts/identity'
import { internalEndpoints } from '@ratchet/contracts/internal-endpoints'
import {
  deriveCallerKey,
  type IdentifiedRequest,
  type NamedKey,
  type SigningKey,
  signIdentity,
} from '@ratchet/service-kit/identity/identity'

/** The key with which a service signs for another one. */
export function keyOfCaller(calleeKey: NamedKey, caller: EndpointCaller): SigningKey {
  return { caller, id: calleeKey.id, secret: deriveCallerKey(calleeKey.secret, caller) }
}

/** Signs as a process that may make this call: the edge, or the first service that may. */
export function signAsCaller(
  calleeKey: NamedKey,
  request: IdentifiedRequest,
  identity: Identity,
  nowMs: number,
): string {
  const rule = ruleOf(request)
  const caller = endpointCallers.find((name) => mayCall(name, rule, identity))
  const isOfEdge = caller === undefined || mayCall('edge', rule, identity)
  return signIdentity(isOfEdge ? calleeKey : keyOfCaller(calleeKey, caller), request, identity, nowMs)
}

const publicRule: CallerRule = { audience: 'public', callers: [], needsPurpose: false }

function ruleOf({ audience, method, path: target }: IdentifiedRequest): CallerRule {
  const [path = ''] = target.split('?', 1)
  if (path === capturesPath) return capturesRule
  const fits = (endpoint: Endpoint) =>
    endpoint.service === audience && endpoint.method === method.toLowerCase() && patternOf(endpoint).test(path)
  return [...internalEndpoints, ...endpoints].find(fits) ?? publicRule
}

function patternOf({ path }: Endpoint): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace(/\*\w+/g, '.+')}$`)
}
