/** Bytes of memory that an answer may take while it is assembled. A larger one is delivered and charged, not recorded. */
const maxBytes = 24 * 1_048_576
/** A short text takes about this much beside its characters, with its place in the text that it continues. */
const textBytes = 56
const numberBytes = 16
const containerBytes = 56
const memberBytes = 32

/** The memory that an assembled answer still may take. */
export class RecordRoom {
  #bytes = 0

  get isFull(): boolean {
    return this.#bytes > maxBytes
  }

  /** Counts a value that is stored. Its nesting must be limited, because this recurses into it. */
  take(value: unknown): void {
    this.#bytes += bytesOf(value)
  }

  /** Counts the name of a member that is stored. */
  takeName(name: string): void {
    this.#bytes += memberBytes + name.length
  }
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return textBytes + value.length
  if (typeof value !== 'object' || value === null) return numberBytes
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + bytesOf(item), containerBytes)
  return Object.entries(value).reduce(
    (sum, [name, member]) => sum + memberBytes + name.length + bytesOf(member),
    containerBytes,
  )
}
