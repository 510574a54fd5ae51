import { kibibyte } from '@ratchet/contracts/byte-sizes'

/** Reserves memory for further bytes; false when there is none. */
export type Reserve = (bytes: number) => boolean

/** Bytes that any answer may take without a reservation: about 4,000 tokens that arrive one by one. */
const freeBytes = 256 * kibibyte
/** Reserved at a time, so that most pieces of an answer cost one comparison. */
const stepBytes = 256 * kibibyte

/** Reserves memory for something that grows. Once it was refused, it stays refused. */
export class AnswerShare {
  readonly #reserve: Reserve | undefined
  #reservedBytes = freeBytes
  #isRefused = false

  /** @param reserve undefined without a limit */
  constructor(reserve?: Reserve | undefined) {
    this.#reserve = reserve
  }

  get isRefused(): boolean {
    return this.#isRefused
  }

  /** False when the thing may not grow to this size, because the share of its workspace is used up. */
  mayHold(bytes: number): boolean {
    if (bytes <= this.#reservedBytes || this.#reserve === undefined) return true
    if (this.#isRefused) return false
    const more = Math.ceil((bytes - this.#reservedBytes) / stepBytes) * stepBytes
    this.#isRefused = !this.#reserve(more)
    if (!this.#isRefused) this.#reservedBytes += more
    return !this.#isRefused
  }
}
