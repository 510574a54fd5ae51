/** Cuts the audio of packets of any length into frames of 20 ms. */
export interface FrameAssembler {
  /**
   * @param timestamp of the RTP packet, in samples, 32 bits
   * @returns the frames that this packet completed, with their numbers (16 bits) in the stream
   */
  push(timestamp: number, pcm: Int16Array): { readonly number: number; readonly pcm: Int16Array }[]
}

/** Frames that wait for the rest of their samples. */
const maxPartial = 8
/** Samples that one packet may have: 200 ms. */
const maxSamples = 1_600

/**
 * Frames are numbered by time, not by packets, so that packets of 10, 30 or 40 ms and packets without audio between them (keys
 * of the telephone, pauses) need no case of their own.
 *
 * @param frameSamples samples of a frame
 */
export function createFrameAssembler(frameSamples: number): FrameAssembler {
  /** Frames by their number; `filled` counts samples, and a packet that came twice counts once by the jitter buffer's rule. */
  const partial = new Map<number, { readonly pcm: Int16Array; filled: number }>()
  let first: number | null = null
  let latest = 0
  return {
    push(timestamp, pcm) {
      if (pcm.length === 0 || pcm.length > maxSamples) return []
      if (first === null) {
        first = timestamp
        latest = 0
      }
      // Time since the beginning, without wraps.
      const step = ((timestamp - first - latest) | 0) + latest
      latest = Math.max(latest, step)
      const done: { number: number; pcm: Int16Array }[] = []
      for (let from = 0; from < pcm.length; ) {
        const at = step + from
        const number = Math.floor(at / frameSamples)
        const offset = at - number * frameSamples
        const part = pcm.subarray(from, from + frameSamples - offset)
        from += part.length
        const frame = partial.get(number) ?? { pcm: new Int16Array(frameSamples), filled: 0 }
        frame.pcm.set(part, offset)
        frame.filled += part.length
        if (frame.filled >= frameSamples) {
          partial.delete(number)
          done.push({ number: number & 0xffff, pcm: frame.pcm })
        } else partial.set(number, frame)
      }
      dropOldest(partial)
      return done
    },
  }
}

function dropOldest(partial: Map<number, unknown>): void {
  while (partial.size > maxPartial) {
    const [oldest] = partial.keys()
    if (oldest === undefined) return
    partial.delete(oldest)
  }
}
