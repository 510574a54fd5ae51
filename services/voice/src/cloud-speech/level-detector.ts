import { createWindows } from '@ratchet/audio/create-windows'
import type { SpeechDetector } from '../engine/ports.ts'

const windowMs = 32
/** Root mean square, in 16 bits, below which nothing is speech. */
const minRms = 250
/** How much louder than the noise of the line speech is. */
const overNoise = 3
/** The estimate of the noise follows quieter windows at once, and louder ones by this share for each window. */
const riseShare = 0.01

/** Takes for speech what is clearly louder than the noise of the line, which it learns. */
export function createLevelDetector(sampleRate: number): SpeechDetector {
  const samples = Math.round((windowMs * sampleRate) / 1_000)
  const windows = createWindows(samples)
  let noiseRms = minRms / overNoise
  const isSpeech = (window: Int16Array): boolean => {
    const rms = Math.sqrt(window.reduce((sum, sample) => sum + sample * sample, 0) / window.length)
    noiseRms = rms < noiseRms ? rms : noiseRms + (rms - noiseRms) * riseShare * (rms > overNoise * noiseRms ? 0.1 : 1)
    return rms >= Math.max(minRms, overNoise * noiseRms)
  }
  return {
    push: (pcm) => windows(pcm).map((window) => ({ windowMs, probability: isSpeech(window) ? 1 : 0, isEcho: false })),
  }
}
