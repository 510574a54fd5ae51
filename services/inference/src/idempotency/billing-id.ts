import { idOfText } from '@ratchet/service-kit/values/deterministic-id'

export interface KeyedWork {
  readonly workspaceId: string
  readonly keyHash: Buffer
  readonly generation: bigint
}

/** The id that a claim's work is charged under: always the same for a claim, a UUIDv8 (RFC 9562) of its SHA-256. */
export function deriveBillingId({ workspaceId, keyHash, generation }: KeyedWork): string {
  const name = JSON.stringify([workspaceId, keyHash.toString('hex'), String(generation)])
  return idOfText(name)
}
