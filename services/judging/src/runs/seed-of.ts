import { createHash } from 'node:crypto'

/** A seed for random draws, derived from an id: an integer in 0..2^48 - 1. */
export function seedOf(id: string): number {
  return createHash('sha256').update(id).digest().readUIntBE(0, 6)
}
