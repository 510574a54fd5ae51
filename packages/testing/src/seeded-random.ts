/**
 * Returns numbers in [0, 1). The same seed gives the same numbers, so that a run can be repeated.
 *
 * @param seed any number; its lowest 32 bits are used
 * @see Tommy Ettinger, mulberry32 (public domain)
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}
