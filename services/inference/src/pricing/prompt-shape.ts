/**
 * The facts about a prompt's size that are known without reading its text. All counts are whole numbers of at least 0.
 */
export interface PromptShape {
  /** Number of messages, input items or documents, each of which may get a frame of tokens. */
  readonly items: number
  readonly tools: number
  /** Number of images and files that are embedded or linked. */
  readonly mediaParts: number
  /**
   * UTF-16 units of the body that are the data or links of those parts. Their length does not indicate their tokens.
   */
  readonly mediaLength: number
  /**
   * Number of embedded sounds, and the UTF-16 units of their data. A sound has fewer tokens than that, usually far
   * fewer.
   */
  readonly soundParts?: number
  readonly soundLength?: number
  /** UTF-8 bytes that a model reads in addition to the body: a reranker reads the query again with each document. */
  readonly repeatedBytes?: number
  /**
   * True when it refers to content of unknown size, such as an uploaded file or an earlier answer. Only the context
   * window bounds it.
   */
  readonly unbounded: boolean
}

export const textOnly: PromptShape = { items: 0, tools: 0, mediaParts: 0, mediaLength: 0, unbounded: false }
