import { createHash } from 'node:crypto'

/** The SHA-256 of an API key, 32 bytes, which is stored instead of the key. Keys are random, so they need no salt. */
export function hashApiKey(key: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(key).digest())
}
