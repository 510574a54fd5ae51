/**
 * Turns the bytes of a provider's stream, cut anywhere, into bytes of an SSE stream in another dialect. Never throws,
 * whatever comes: what cannot be read becomes the error frame of the dialect, after which it emits nothing.
 */
export interface StreamConverter {
  /** What this chunk lets us say; empty when it completes nothing. */
  push(chunk: Buffer): Buffer
  /** The provider closed its stream: what is left to say. */
  end(): Buffer
}
