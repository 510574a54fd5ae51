import { createWindows } from '@ratchet/audio/create-windows'
import { bandPower, totalPower } from '@ratchet/audio/tone-power'

/** Finds the tone after which a mailbox records. */
export interface BeepDetector {
  /** Takes the next samples. @returns whether a beep has ended in them */
  push(pcm: Int16Array): boolean
}

const windowMs = 20
/** Hertz. */
const lowest = 350
const highest = 2_200
const step = 25
/** Between two windows of one tone, hertz. */
const maxDrift = 50
/** Least share of the power in one tone. A voice and the two tones of a key have less. */
const minShare = 0.75
/** Root mean square below which a window is silent. */
const minRms = 150
/** Shorter tones are other signals. */
const minWindows = 20

/** @param sampleRate hertz */
export function createBeepDetector(sampleRate: number): BeepDetector {
  const samples = Math.round((windowMs * sampleRate) / 1_000)
  const windows = createWindows(samples)
  let tone: { hertz: number; count: number } | null = null
  /** @returns whether a beep ends with this window */
  const take = (window: Int16Array): boolean => {
    const hertz = toneOf(window, sampleRate)
    const isSame = hertz !== null && tone !== null && Math.abs(hertz - tone.hertz) <= maxDrift
    const hasEnded = !isSame && tone !== null && tone.count >= minWindows
    if (hertz === null) tone = null
    else tone = { hertz, count: isSame ? (tone?.count ?? 0) + 1 : 1 }
    return hasEnded
  }
  return { push: (pcm) => windows(pcm).map(take).some(Boolean) }
}

/** The frequency of a window that is one tone; null: it is none. */
function toneOf(window: Int16Array, sampleRate: number): number | null {
  const total = totalPower(window)
  if (total < minRms ** 2 * window.length) return null
  let strongest = { hertz: 0, power: 0 }
  for (let hertz = lowest; hertz <= highest; hertz += step) {
    const power = bandPower(window, hertz / sampleRate)
    if (power > strongest.power) strongest = { hertz, power }
  }
  return (2 * strongest.power) / (window.length * total) < minShare ? null : strongest.hertz
}
