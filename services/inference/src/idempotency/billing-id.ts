import { createHash } from 'node:crypto'

export interface KeyedWork {
  readonly workspaceId: string
  readonly keyHash: Buffer
  readonly generation: bigint
}

/** The id that a claim's work is billed under: the same for the same claim, a UUIDv8 (RFC 9562) of its SHA-256. */
export function deriveBillingId({ workspaceId, keyHash, generation }: KeyedWork): string {
  const name = JSON.stringify([workspaceId, keyHash.toString('hex'), String(generation)])
  const bytes = createHash('sha256').update(name).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
