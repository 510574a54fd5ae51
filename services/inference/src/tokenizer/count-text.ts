/** One of OpenAI's vocabularies. */
export interface Vocabulary {
  /** Cuts a text into the pieces that are turned into tokens one by one; global. */
  readonly pieces: RegExp
  /** Tokens of a text, of which no piece may be long: merging takes time quadratic in a piece's length. */
  count(text: string): number
}

/** Longest piece that is merged whole, UTF-16 units. Words are far shorter; this is for runs of letters or symbols. */
export const pieceMax = 256

/**
 * Tokens of a text, in time proportional to its length whatever is in it. A piece of more than `pieceMax` units is
 * counted in parts of that length, which makes at most a few tokens more of every part, 1 % of them at the worst that
 * was measured; all other text is counted exactly.
 */
export function countText(text: string, { pieces, count }: Vocabulary): number {
  let tokens = 0
  let counted = 0
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    if (piece.length <= pieceMax) continue
    tokens += count(text.slice(counted, index))
    for (const part of partsOf(piece)) tokens += count(part)
    counted = index + piece.length
  }
  return tokens + count(text.slice(counted))
}

function* partsOf(piece: string): Generator<string, void> {
  for (let from = 0; from < piece.length; ) {
    const end = Math.min(piece.length, from + pieceMax)
    const tearsPair = (piece.charCodeAt(end) & 0xfc00) === 0xdc00
    yield piece.slice(from, tearsPair ? end - 1 : end)
    from = tearsPair ? end - 1 : end
  }
}
