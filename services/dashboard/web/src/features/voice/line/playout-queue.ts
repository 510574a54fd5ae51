/** What was played of an utterance. */
export interface PlayedPart {
  readonly id: number
  readonly ms: number
}

interface Chunk {
  readonly id: number
  readonly samples: Float32Array
  at: number
}

/** Audio of the agent that waits to be played, and how much of each utterance was. */
export class PlayoutQueue {
  readonly #sampleRate: number
  readonly #cleared = new Set<number>()
  #chunks: Chunk[] = []
  #current: { readonly id: number; samples: number } | null = null

  constructor(sampleRate: number) {
    this.#sampleRate = sampleRate
  }

  /** @param pcm 16-bit; it is dropped when nothing more of the utterance may be played */
  add(id: number, pcm: Int16Array): void {
    if (this.#cleared.has(id)) return
    this.#chunks.push({ id, samples: Float32Array.from(pcm, (sample) => sample / 32_768), at: 0 })
  }

  /** Fills a block of the output; what is missing is silence. */
  fill(block: Float32Array): void {
    let to = 0
    while (to < block.length) {
      const [chunk] = this.#chunks
      if (chunk === undefined) break
      const count = Math.min(block.length - to, chunk.samples.length - chunk.at)
      block.set(chunk.samples.subarray(chunk.at, chunk.at + count), to)
      chunk.at += count
      to += count
      if (this.#current?.id !== chunk.id) this.#current = { id: chunk.id, samples: 0 }
      this.#current.samples += count
      if (chunk.at === chunk.samples.length) this.#chunks.shift()
    }
    block.fill(0, to)
  }

  /** Of the utterance that was played last; null before any. */
  get played(): PlayedPart | null {
    return this.#current === null ? null : this.#partOf(this.#current)
  }

  /** Drops what waits of an utterance. @returns what was played of it in all */
  clear(id: number): PlayedPart {
    this.#cleared.add(id)
    this.#chunks = this.#chunks.filter((chunk) => chunk.id !== id)
    return this.#current?.id === id ? this.#partOf(this.#current) : { id, ms: 0 }
  }

  #partOf({ id, samples }: { readonly id: number; readonly samples: number }): PlayedPart {
    return { id, ms: Math.floor((samples * 1_000) / this.#sampleRate) }
  }
}
