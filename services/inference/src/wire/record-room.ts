import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { AnswerShare } from '@ratchet/service-kit/sse/answer-share'
import type { AnswerLimits } from './answer-limits.ts'

/** Bytes of memory that an answer may take while it is assembled. A larger one is delivered and charged, not recorded. */
const maxBytes = 24 * mebibyte
/** A text takes about this much beside its characters. */
const textBytes = 56
/** The same of a piece, of which most are joined. */
const pieceBytes = 16
const numberBytes = 16
const containerBytes = 56
const memberBytes = 32

/** The memory that an assembled answer still may take: at most 24 MB, out of the share of its workspace. */
export class RecordRoom {
  readonly #share: AnswerShare
  #bytes = 0

  /** @param reserve see `AnswerLimits.reserve` */
  constructor(reserve?: AnswerLimits['reserve']) {
    this.#share = new AnswerShare(reserve)
  }

  get isFull(): boolean {
    return this.#bytes > maxBytes || this.#share.isRefused
  }

  /** Counts a value that is stored. Its nesting must be limited, because this recurses into it. */
  take(value: unknown): void {
    this.#add(bytesOf(value))
  }

  /** Counts a piece of a text to which it is appended, by `appendText`. */
  takePiece(piece: string): void {
    this.#add(pieceBytes + piece.length)
  }

  /** Counts the name of a member that is stored. */
  takeName(name: string): void {
    this.#add(memberBytes + name.length)
  }

  #add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= maxBytes) this.#share.mayHold(this.#bytes)
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
