import type { EndpointCaller, ServiceName } from '@ratchet/contracts/endpoint'
import {
  deriveAudienceKey,
  deriveCallerKey,
  type NamedKey,
  type SigningKey,
} from '@ratchet/service-kit/identity/identity'

/** A service, and another one that it calls. The dashboard calls the edge, and inference with payments. */
export interface ServicePair {
  readonly caller: EndpointCaller
  readonly audience: ServiceName | 'edge'
}

/** A service's own keys: the edge signs with them, and the keys of all other callers are derived from them. */
export function audienceKeys(masterKeys: readonly NamedKey[], audience: string): readonly NamedKey[] {
  return masterKeys.map(({ id, secret }) => ({ id, secret: deriveAudienceKey(secret, audience) }))
}

/** The keys of the tokens of trainers, who are no service: they prove one attempt of one job, and nothing else. */
export function jobTokenKeys(masterKeys: readonly NamedKey[]): readonly NamedKey[] {
  return audienceKeys(masterKeys, 'job-token')
}

/** The keys with which one service signs for another one. They sign for no other service and as no other caller. */
export function callerKeys(masterKeys: readonly NamedKey[], { caller, audience }: ServicePair): readonly SigningKey[] {
  return audienceKeys(masterKeys, audience).map(({ id, secret }) => ({
    caller,
    id,
    secret: deriveCallerKey(secret, caller),
  }))
}

/** `k1:<base64>,k0:<base64>`, or `judging.k1:<base64>,…` for keys of a caller: the forms in which services read keys. */
export function formatKeys(keys: readonly SigningKey[]): string {
  const nameOf = ({ caller, id }: SigningKey) => (caller === undefined ? id : `${caller}.${id}`)
  return keys.map((key) => `${nameOf(key)}:${key.secret.toString('base64')}`).join(',')
}
