import { createHash } from 'node:crypto'

/** What is stored of an API key: its SHA-256, 32 bytes. The key is random enough to need no salt and no stretching. */
export function hashApiKey(key: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(key).digest())
}
