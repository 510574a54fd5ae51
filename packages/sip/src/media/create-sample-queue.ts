import { frameSamples } from './create-audio-receiver.ts'

/** Audio that waits to be sent. */
export interface SampleQueue {
  add(pcm: Int16Array): void
  /** The next 20 ms; silence where nothing waits. */
  take(): Int16Array
  /** Drops what waits, and counts from zero again. @returns samples that were taken since the last time */
  clear(): number
  /** Samples of queued audio that were taken since `clear`. */
  readonly taken: number
  readonly waiting: number
}

export function createSampleQueue(): SampleQueue {
  const pieces: Int16Array[] = []
  let waiting = 0
  let taken = 0
  return {
    add(pcm) {
      if (pcm.length === 0) return
      pieces.push(pcm)
      waiting += pcm.length
    },
    take() {
      const frame = new Int16Array(frameSamples)
      for (let at = 0; at < frameSamples && pieces[0] !== undefined; ) {
        const part = pieces[0].subarray(0, frameSamples - at)
        frame.set(part, at)
        at += part.length
        waiting -= part.length
        taken += part.length
        if (part.length === pieces[0].length) pieces.shift()
        else pieces[0] = pieces[0].subarray(part.length)
      }
      return frame
    },
    clear() {
      const before = taken
      pieces.length = 0
      waiting = 0
      taken = 0
      return before
    },
    get taken() {
      return taken
    },
    get waiting() {
      return waiting
    },
  }
}
