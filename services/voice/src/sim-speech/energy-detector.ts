import { createWindows } from '@ratchet/audio/create-windows'
import type { SpeechDetector } from '../engine/ports.ts'

const windowMs = 32
/** Root mean square from which a window is speech, in 16 bits. */
const minRms = 300

/** Takes every loud window for speech. For the language of tones, in which there is no other sound. */
export function createEnergyDetector(sampleRate: number): SpeechDetector {
  const samples = Math.round((windowMs * sampleRate) / 1000)
  const windows = createWindows(samples)
  return {
    push: (pcm) =>
      windows(pcm).map((window) => {
        const power = window.reduce((sum, sample) => sum + sample * sample, 0) / samples
        return { windowMs, probability: power >= minRms ** 2 ? 1 : 0, isEcho: false }
      }),
  }
}
