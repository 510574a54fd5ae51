import { AnswerShare } from '@ratchet/service-kit/sse/answer-share'
import type { AnswerLimits } from '../wire/answer-limits.ts'

/** The text that a model generated, as far as it arrived: what must be counted when the provider reports no usage. */
export interface GeneratedText {
  /** All text in order. Joined it is the text; where it is divided has no meaning. */
  readonly texts: readonly string[]
  /** Number of pieces in which it arrived. */
  readonly pieces: number
  /** Number of characters, in `texts` and of what is not kept. */
  readonly characters: number
  /** What arrived after the memory for texts was used up. It is not in `texts`. */
  readonly unkept?: { readonly characters: number }
}

/** Pieces that wait to be joined. Until then each takes the memory of several short texts. */
const looseMax = 512

/**
 * Collects the pieces of a stream. Small pieces are joined, so that they take no more memory than their text. Of a long answer
 * only what fits into the share of its workspace is kept, and the rest is counted.
 */
export class TextCollector implements GeneratedText {
  pieces = 0
  characters = 0
  readonly unkept = { characters: 0 }
  /** Tokens of reasoning that is not in `texts`, estimated from its bytes; may be a fraction. */
  hiddenTokens = 0
  readonly #joined: string[] = []
  #loose: string[] = []
  readonly #share: AnswerShare

  /** @param reserve see `AnswerLimits.reserve` */
  constructor(reserve?: AnswerLimits['reserve']) {
    this.#share = new AnswerShare(reserve)
  }

  get texts(): readonly string[] {
    return [...this.#joined, ...this.#loose]
  }

  add(piece: string): void {
    this.pieces += 1
    this.characters += piece.length
    if (!this.#share.mayHold(this.characters)) {
      this.unkept.characters += piece.length
      return
    }
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

/** Fewest tokens of a text that is not kept: repeated words have about so many characters in a token. */
const maxCharactersPerToken = 8

/** Number of all tokens, when those of the kept texts are known. The rest has as many in a character. */
export function withUnkept(keptTokens: number, { characters, unkept }: GeneratedText): number {
  if (unkept === undefined || unkept.characters === 0) return keptTokens
  const kept = characters - unkept.characters
  const alike = kept === 0 ? 0 : keptTokens / kept
  return keptTokens + Math.ceil(unkept.characters * Math.max(alike, 1 / maxCharactersPerToken))
}
