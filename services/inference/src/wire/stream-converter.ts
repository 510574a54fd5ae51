/**
 * Converts the bytes of a provider's stream, cut anywhere, into bytes of an SSE stream in another dialect. It never
 * throws: input that cannot be read becomes the error frame of the dialect, after which it writes nothing more.
 */
export interface StreamConverter {
  /** The frames that this chunk completes; empty when it completes none. */
  push(chunk: Buffer): Buffer
  /** The provider closed its stream: returns the remaining frames. */
  end(): Buffer
}
