/** The last part of a stream of samples, in a buffer whose size never changes. */
export interface PcmRing {
  write(pcm: Int16Array): void
  /** A copy of the last `samples` samples, oldest first; fewer when fewer were written. */
  latest(samples: number): Int16Array
  clear(): void
  /** Samples written since the beginning, also those that are no longer held. */
  readonly written: number
}

/** @param capacity most samples that are held */
export function createPcmRing(capacity: number): PcmRing {
  const samples = new Int16Array(capacity)
  let written = 0
  let held = 0
  return {
    get written() {
      return written
    },
    write(pcm) {
      const last = pcm.subarray(Math.max(0, pcm.length - capacity))
      const at = (written + pcm.length - last.length) % capacity
      const untilEnd = Math.min(last.length, capacity - at)
      samples.set(last.subarray(0, untilEnd), at)
      samples.set(last.subarray(untilEnd), 0)
      written += pcm.length
      held = Math.min(capacity, held + pcm.length)
    },
    latest(count) {
      const length = Math.min(count, held)
      const copy = new Int16Array(length)
      const from = (((written - length) % capacity) + capacity) % capacity
      const untilEnd = Math.min(length, capacity - from)
      copy.set(samples.subarray(from, from + untilEnd))
      copy.set(samples.subarray(0, length - untilEnd), untilEnd)
      return copy
    },
    clear() {
      held = 0
    },
  }
}
