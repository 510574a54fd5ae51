import { deriveAudienceKey, type NamedKey } from '@ratchet/service-kit/identity/identity'

/** The keys with which one service verifies identities: they cannot sign for another service. */
export function audienceKeys(masterKeys: readonly NamedKey[], audience: string): readonly NamedKey[] {
  return masterKeys.map(({ id, secret }) => ({ id, secret: deriveAudienceKey(secret, audience) }))
}

/** `k1:<base64>,k0:<base64>`, the form in which services read named keys. */
export function formatKeys(keys: readonly NamedKey[]): string {
  return keys.map(({ id, secret }) => `${id}:${secret.toString('base64')}`).join(',')
}
