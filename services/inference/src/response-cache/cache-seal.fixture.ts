import { randomBytes } from 'node:crypto'
import { type ByteSeal, createByteSeal } from '@ratchet/service-kit/identity/byte-seal'

/** The seal of cached answers; that of every call opens what any other sealed. */
export function cacheSeal(): ByteSeal {
  const keys = [{ id: 'k1', secret: Buffer.alloc(32, 7) }] as const
  return createByteSeal({ keys, purpose: 'cached answers', randomBytes, now: () => new Date('2026-11-24T12:00:00Z') })
}
