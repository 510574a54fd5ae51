import { createHash } from 'node:crypto'

/**
 * Derives an id from these parts, the same in every process: a UUIDv8 (RFC 9562) of their SHA-256. Each part is hashed
 * with its length, so that different lists of parts never have the same bytes.
 */
export function deterministicId(...parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) {
    const bytes = Buffer.from(part, 'utf8')
    hash.update(`${bytes.length}:`).update(bytes)
  }
  return uuidV8Of(hash.digest())
}

/** Derives an id from one text, the same in every process: a UUIDv8 (RFC 9562) of its SHA-256. */
export function idOfText(text: string): string {
  return uuidV8Of(createHash('sha256').update(text).digest())
}

/** The UUIDv8 that begins with these bytes, apart from its version and its variant. */
function uuidV8Of(hash: Buffer): string {
  const bytes = hash.subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
