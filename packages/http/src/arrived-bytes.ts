/**
 * From this size, a connection is paused until everything was taken. It is what Node reads at once. undici reads that much for
 * each pause, whatever was taken since the last one: with a pause for each small chunk of a fast provider, the socket's
 * buffer would grow without a limit, and be copied for each chunk.
 */
const fullBytes = 65_536

const nothing = Buffer.alloc(0)

/** Bytes of an answer that wait for their reader. Many small chunks take no more memory than large ones. */
export class ArrivedBytes {
  /** Not copied. */
  #head: Buffer = nothing
  /** What arrived after it, up to `#tailBytes`. */
  #tail: Buffer = nothing
  #tailBytes = 0
  /** What did not fit into the tail. */
  #rest: Buffer = nothing

  get isEmpty(): boolean {
    return this.#bytes === 0
  }

  /** The connection must be paused before more is added than its next chunk. */
  get isFull(): boolean {
    return this.#bytes >= fullBytes
  }

  add(chunk: Buffer): void {
    if (this.isEmpty) {
      this.#head = chunk
      return
    }
    if (this.#tail.length === 0 && this.#rest.length === 0) this.#tail = Buffer.allocUnsafeSlow(fullBytes)
    const copied = this.#rest.length > 0 ? 0 : chunk.copy(this.#tail, this.#tailBytes)
    this.#tailBytes += copied
    const more = chunk.subarray(copied)
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, more]) : more
  }

  /** The first bytes, at most so many; null when there are none. */
  take(maxBytes: number): Buffer | null {
    if (this.isEmpty) return null
    if (this.#head.length === 0) this.#advance()
    const taken = this.#head.subarray(0, maxBytes)
    this.#head = this.#head.subarray(taken.length)
    return taken
  }

  clear(): void {
    this.#head = nothing
    this.#tail = nothing
    this.#tailBytes = 0
    this.#rest = nothing
  }

  get #bytes(): number {
    return this.#head.length + this.#tailBytes + this.#rest.length
  }

  /** Memory that was taken is not written again, because readers keep parts of it. */
  #advance(): void {
    if (this.#tailBytes > 0) {
      this.#head = this.#tail.subarray(0, this.#tailBytes)
      this.#tail = nothing
      this.#tailBytes = 0
    } else {
      this.#head = this.#rest
      this.#rest = nothing
    }
  }
}
