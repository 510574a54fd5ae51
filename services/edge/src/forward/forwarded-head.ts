import type { ServiceName } from '@ratchet/contracts/endpoint'
import { type Identity, identityHeader, modelHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { deriveAudienceKey, type NamedKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import { admittedContextOf, type EdgeRequest } from '../admission/request-context.ts'

/** Builds the headers of a forwarded request: those of the allow-list and the edge's own. */
export type BuildHead = (request: EdgeRequest, nowMs: number) => string[]

/** @param masterKey the key of every audience is derived from it; only the edge has it */
export function headBuilder(masterKey: NamedKey, services: readonly ServiceName[]): BuildHead {
  const keys = new Map(
    services.map((service): [string, NamedKey] => [
      service,
      { id: masterKey.id, secret: deriveAudienceKey(masterKey.secret, service) },
    ]),
  )
  return (request, nowMs) => {
    const { head, identity, endpoint, target, model } = admittedContextOf(request)
    const { service } = endpoint
    const key = keys.get(service)
    if (key === undefined) throw new Error(`no identity key for ${service}`)
    const bound = { audience: service, requestId: request.id, method: request.method, path: target.url }
    if (model !== null) head.forwarded.push(modelHeader, model)
    head.forwarded.push(
      requestIdHeader,
      request.id,
      identityHeader,
      signIdentity(key, bound, identity as Identity, nowMs),
    )
    return head.forwarded
  }
}
