/** Audio of the caller that is not recognized for good yet, so that it can be sent again. */
export interface AudioBacklog {
  add(pcm: Int16Array): void
  /** Everything up to a place is recognized. Places count samples from the first one that was added. */
  dropUntil(place: number): void
  /** Place of the first sample that {@link AudioBacklog.read} returns. */
  readonly from: number
  /** What is kept, in the pieces in which it came. */
  read(): readonly Int16Array[]
}

/** @param maxSamples the oldest audio beyond it is forgotten */
export function createAudioBacklog(maxSamples: number): AudioBacklog {
  const kept: Int16Array[] = []
  let from = 0
  let size = 0
  const dropFirst = () => {
    const length = kept.shift()?.length ?? 0
    from += length
    size -= length
  }
  return {
    add(pcm) {
      kept.push(pcm)
      size += pcm.length
      while (size > maxSamples && kept.length > 1) dropFirst()
    },
    dropUntil(place) {
      for (let first = kept[0]; first !== undefined && from + first.length <= place; first = kept[0]) dropFirst()
    },
    get from() {
      return from
    },
    read: () => kept,
  }
}
