import { createHash } from 'node:crypto'

/**
 * Returns numbers in [0, 1), the same for the same text, so that a bootstrap can be repeated for an id.
 *
 * @param seed any text, such as the id of an eval
 * @see Doty-Humphrey, sfc32 of PractRand, started from the SHA-256 of the seed
 */
export function randomFromSeed(seed: string): () => number {
  const digest = createHash('sha256').update(seed).digest()
  let [a, b, c, counter] = [digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8), 1]
  const next = () => {
    const sum = (a + b + counter) >>> 0
    counter = (counter + 1) >>> 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) >>> 0
    c = (((c << 21) | (c >>> 11)) + sum) >>> 0
    return sum / 0x1_0000_0000
  }
  return next
}
