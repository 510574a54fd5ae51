import { createWindows } from '../create-windows.ts'
import { bandPower, totalPower } from '../tone-power.ts'
import { columnHertz, dtmfKeys, rowHertz } from './dtmf-tones.ts'

/** Finds keys of a telephone in its sound. */
export interface DtmfDetector {
  /** Takes the next samples. @returns the keys that were recognized in them, each once however long it is held */
  push(pcm: Int16Array): string[]
}

const windowMs = 25
/** Least share of the power in both tones; speech rarely has more than 0.6. */
const minShare = 0.8
/** Most decibels between the tones of row and column. */
const maxTwistDb = 8
/** A key must be found in this many windows in a row, and an end as well. */
const minWindows = 2
/** Root mean square below which a window is silent. */
const minRms = 150

/**
 * A detector of keys in the sound itself (ITU-T Q.24), for lines that do not send them as events.
 *
 * @param sampleRate hertz
 */
export function createDtmfDetector(sampleRate: number): DtmfDetector {
  const windows = createWindows(Math.round((windowMs * sampleRate) / 1000))
  let pressed: string | null = null
  let seen: { key: string | null; count: number } = { key: null, count: 0 }
  return {
    push(pcm) {
      const found: string[] = []
      for (const window of windows(pcm)) {
        const key = keyOf(window, sampleRate)
        seen = { key, count: key === seen.key ? seen.count + 1 : 1 }
        if (seen.count < minWindows || key === pressed) continue
        pressed = key
        if (key !== null) found.push(key)
      }
      return found
    },
  }
}

function keyOf(window: Int16Array, sampleRate: number): string | null {
  const total = totalPower(window)
  if (total < minRms ** 2 * window.length) return null
  const row = strongest(rowHertz, window, sampleRate)
  const column = strongest(columnHertz, window, sampleRate)
  if ((2 * (row.power + column.power)) / (window.length * total) < minShare) return null
  const twistDb = 10 * Math.abs(Math.log10(row.power / column.power))
  return twistDb > maxTwistDb ? null : (dtmfKeys[row.index * 4 + column.index] ?? null)
}

function strongest(tones: readonly number[], window: Int16Array, sampleRate: number) {
  let best = { index: 0, power: 0 }
  for (const [index, hertz] of tones.entries()) {
    const power = bandPower(window, hertz / sampleRate)
    if (power > best.power) best = { index, power }
  }
  return best
}
