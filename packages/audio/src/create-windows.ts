import { joinSamples } from './join-samples.ts'

/**
 * Cuts sound that arrives in parts of any length into windows of one length.
 *
 * @param samples of a window
 * @returns a function that takes the next part, and returns the windows that are complete with it
 */
export function createWindows(samples: number): (pcm: Int16Array) => readonly Int16Array[] {
  let rest = new Int16Array(0)
  return (pcm) => {
    const joined = joinSamples([rest, pcm])
    const count = Math.floor(joined.length / samples)
    rest = joined.slice(count * samples)
    return Array.from({ length: count }, (_, i) => joined.subarray(i * samples, (i + 1) * samples))
  }
}
