/** A frame of an utterance, whose end may be silence. */
export interface QueuedFrame {
  readonly utterance: number
  readonly pcm: Int16Array
  /** Samples that are of the utterance. */
  readonly samples: number
}

/** Cuts the audio of utterances into frames. */
export interface FrameQueue {
  push(utterance: number, pcm: Int16Array): void
  /** The next frame; the last one of an utterance, or of what there is of it, is filled up. Null without audio. */
  next(): QueuedFrame | null
  clear(utterance: number): void
}

export function createFrameQueue(frameSamples: number): FrameQueue {
  let parts: { readonly utterance: number; readonly pcm: Int16Array; at: number }[] = []
  return {
    push(utterance, pcm) {
      if (pcm.length > 0) parts.push({ utterance, pcm, at: 0 })
    },
    next() {
      const [first] = parts
      if (first === undefined) return null
      const { utterance } = first
      const frame = new Int16Array(frameSamples)
      let samples = 0
      let done = 0
      for (const part of parts) {
        if (part.utterance !== utterance || samples === frameSamples) break
        const taken = part.pcm.subarray(part.at, part.at + frameSamples - samples)
        frame.set(taken, samples)
        samples += taken.length
        part.at += taken.length
        if (part.at === part.pcm.length) done++
      }
      if (done > 0) parts = parts.slice(done)
      return { utterance, pcm: frame, samples }
    },
    clear(utterance) {
      parts = parts.filter((part) => part.utterance !== utterance)
    },
  }
}
