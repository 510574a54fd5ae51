import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type NamedKey, verifyIdentity } from '@ratchet/service-kit/identity/identity'
import type { EdgeEvents } from '../events.ts'
import { callerKey } from '../keys/caller-key.ts'
import type { KeyVerifier } from '../keys/key-verifier.ts'
import type { Identify } from './admit-request.ts'
import type { ClientAddressOf } from './client-address.ts'
import { contextOf } from './request-context.ts'

/** The public listener: a caller is who its API key belongs to. */
export function identifyByKey(keys: KeyVerifier, clientAddressOf: ClientAddressOf): Identify {
  return (request) => {
    const { head, target } = contextOf(request)
    return keys.verify(callerKey(head, target.path), clientAddressOf(request))
  }
}

export interface SessionListenerOptions {
  /** The edge's own keys, from which those of the dashboard are derived. */
  readonly keys: readonly NamedKey[]
  readonly events: Pick<EdgeEvents, 'sessionRefused'>
  readonly now: () => Date
}

/**
 * The session listener: a caller is the person for whom the dashboard signed this request. No other process can sign for
 * it, and a header is valid for one method, target and request id, for thirty seconds. API keys are not read.
 */
export function identifyBySession({ keys, events, now }: SessionListenerOptions): Identify {
  return async (request) => {
    const { [identityHeader]: header = '', [requestIdHeader]: requestId = '' } = request.headers
    const bound = { audience: 'edge', requestId: String(requestId), method: request.method, path: request.url }
    const verified = verifyIdentity(keys, bound, String(header), now().getTime())
    const { caller, identity } = verified ?? {}
    if (caller !== 'dashboard' || identity?.session === undefined || identity.purpose !== undefined) {
      events.sessionRefused(request.id)
      throw new ServiceError('invalid_api_key', 'This address accepts requests of the dashboard only.')
    }
    return identity
  }
}
