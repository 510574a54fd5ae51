/** Adds even noise to a sound. @param ratioDb by how much the sound is stronger than the noise */
export function addNoise(pcm: Int16Array, ratioDb: number, random: () => number): Int16Array {
  const power = pcm.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, pcm.length)
  // Numbers evenly spread over [-peak, peak] have a power of peak² / 3.
  const peak = Math.sqrt((3 * power) / 10 ** (ratioDb / 10))
  return pcm.map((sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample + peak * (2 * random() - 1)))))
}

/** Numbers in [0, 1) that repeat for a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}
