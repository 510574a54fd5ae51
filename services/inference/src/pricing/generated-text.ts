/** The text that a model generated, as far as it arrived: what must be counted when the provider reports no usage. */
export interface GeneratedText {
  /** All text in order. Joined it is the text; where it is divided has no meaning. */
  readonly texts: readonly string[]
  /** Number of pieces in which it arrived. */
  readonly pieces: number
  /** Number of characters in `texts`. */
  readonly characters: number
}

/** Pieces that wait to be joined. Until then each takes the memory of several short texts. */
const looseMax = 512

/** Collects the pieces of a stream. Small pieces are joined, so that they take no more memory than their text. */
export class TextCollector implements GeneratedText {
  pieces = 0
  characters = 0
  /** Tokens of reasoning that is not in `texts`, estimated from its bytes; may be a fraction. */
  hiddenTokens = 0
  readonly #joined: string[] = []
  #loose: string[] = []

  get texts(): readonly string[] {
    return [...this.#joined, ...this.#loose]
  }

  add(piece: string): void {
    this.pieces += 1
    this.characters += piece.length
    this.#loose.push(piece)
    if (this.#loose.length < looseMax) return
    this.#joined.push(this.#loose.join(''))
    this.#loose = []
  }

  addHidden(tokens: number): void {
    this.hiddenTokens += tokens
  }
}

/** The text of an answer that arrived as a whole. */
export function generatedText(pieces: readonly string[]): GeneratedText {
  const characters = pieces.reduce((sum, { length }) => sum + length, 0)
  return { texts: pieces, pieces: pieces.length, characters }
}
