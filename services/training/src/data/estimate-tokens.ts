const bytesPerToken = 4

/** Tokens of a text, estimated as its bytes / 4. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}
