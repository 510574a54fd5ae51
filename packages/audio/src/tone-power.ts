/**
 * The share of a sound's power that lies at one frequency, by Goertzel's algorithm.
 *
 * @param pcm the window; its length sets the resolution (160 samples at 8 kHz: 50 Hz)
 * @returns 0 for silence to about 1 for a pure tone
 */
export function tonePower(
  pcm: Int16Array,
  { hertz, sampleRate }: { readonly hertz: number; readonly sampleRate: number },
): number {
  const total = totalPower(pcm)
  return total === 0 ? 0 : (2 * bandPower(pcm, hertz / sampleRate)) / (pcm.length * total)
}

/** The sum of the squares of all samples. */
export function totalPower(pcm: Int16Array): number {
  let sum = 0
  for (let i = 0; i < pcm.length; i++) sum += (pcm[i] ?? 0) ** 2
  return sum
}

/**
 * The squared magnitude of one frequency's component.
 *
 * @param frequency in cycles per sample, above 0 and below 0.5
 */
export function bandPower(pcm: Int16Array, frequency: number): number {
  const coefficient = 2 * Math.cos(2 * Math.PI * frequency)
  let previous = 0
  let beforePrevious = 0
  for (let i = 0; i < pcm.length; i++) {
    const next = (pcm[i] ?? 0) + coefficient * previous - beforePrevious
    beforePrevious = previous
    previous = next
  }
  return previous ** 2 + beforePrevious ** 2 - coefficient * previous * beforePrevious
}
