/**
 * The provider's tokenizer: consecutive pieces of four UTF-16 code units (the usual four characters per token), one
 * more where a piece would end inside a surrogate pair. The pieces join to the text, and a prefix of the pieces is the
 * tokens of that prefix.
 */
export function* tokensOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = endOfToken(text, start)
    yield text.slice(start, end)
    start = end
  }
}

/** Number of tokens of `text`, without creating them. */
export function countTokens(text: string): number {
  let count = 0
  for (let start = 0; start < text.length; start = endOfToken(text, start)) count += 1
  return count
}

/** The longest prefix of `text` that has at most `limit` tokens. */
export function firstTokens(text: string, limit: number): string {
  let end = 0
  for (let count = 0; count < limit && end < text.length; count += 1) end = endOfToken(text, end)
  return end < text.length ? text.slice(0, end) : text
}

function endOfToken(text: string, start: number): number {
  const end = start + 4
  if (end >= text.length) return text.length
  return (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end + 1 : end
}
