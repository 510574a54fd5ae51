import type { Usage } from './usage.ts'

/**
 * Converts the bytes of a provider's stream, cut anywhere, into bytes of an SSE stream in another dialect. It never
 * throws: input that cannot be read becomes the error frame of the dialect, after which it writes nothing more.
 */
export interface StreamConverter {
  /** The frames that this chunk completes; empty when it completes none. */
  push(chunk: Buffer): Buffer
  /** The provider closed its stream: returns the remaining frames. */
  end(): Buffer
  readonly facts: StreamFacts
}

/** What was read of a stream and is not in its converted frames, or not yet. It changes while the stream is read. */
export interface StreamFacts {
  /** The usage that the provider reported so far; null before its first report. */
  readonly usage: Usage | null
  /** Tokens of reasoning that the frames leave out, estimated from its bytes; may be a fraction. */
  readonly hiddenTokens: number
  /** True when the stream ended in an error because of what the model wrote. The provider is paid for it. */
  readonly isUnusable?: boolean
}

/** The facts of a stream that two converters read, one after the other. */
export function bothFacts(first: StreamFacts | null, second: StreamFacts): StreamFacts {
  if (first === null) return second
  return {
    get usage() {
      return second.usage ?? first.usage
    },
    get hiddenTokens() {
      return first.hiddenTokens + second.hiddenTokens
    },
    get isUnusable() {
      return first.isUnusable === true
    },
  }
}
