import type { SpeechDetector } from '../engine/ports.ts'

const windowMs = 32
/** Root mean square from which a window is speech, in 16 bits. */
const minRms = 300

/** Takes every loud window for speech. For the language of tones, in which there is no other sound. */
export function createEnergyDetector(sampleRate: number): SpeechDetector {
  const samples = Math.round((windowMs * sampleRate) / 1000)
  let rest = new Int16Array(0)
  return {
    push(pcm) {
      const joined = new Int16Array(rest.length + pcm.length)
      joined.set(rest)
      joined.set(pcm, rest.length)
      const count = Math.floor(joined.length / samples)
      rest = joined.slice(count * samples)
      return Array.from({ length: count }, (_, i) => {
        const window = joined.subarray(i * samples, (i + 1) * samples)
        const power = window.reduce((sum, sample) => sum + sample * sample, 0) / samples
        return { windowMs, probability: power >= minRms ** 2 ? 1 : 0, isEcho: false }
      })
    },
  }
}
