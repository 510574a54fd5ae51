import { createHash } from 'node:crypto'

const tokenBytes = 32

/** A token by which a caller connects: 256 random bits. Only its hash is stored. */
export function newMediaToken(randomBytes: (count: number) => Uint8Array): string {
  return Buffer.from(randomBytes(tokenBytes)).toString('base64url')
}

export function hashMediaToken(token: string): Uint8Array {
  return createHash('sha256').update(token).digest()
}
