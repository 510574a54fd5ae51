import { createHash } from 'node:crypto'

/** A seed for whatever is drawn for something with an id: a whole number in 0..2^48 - 1, the same for ever. */
export function seedOf(id: string): number {
  return createHash('sha256').update(id).digest().readUIntBE(0, 6)
}
