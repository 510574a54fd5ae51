/** What can be told of a prompt's size without looking at its text. All counts are whole numbers, 0 or more. */
export interface PromptShape {
  /** Messages, input items or documents: each may get a frame of tokens around it. */
  readonly items: number
  readonly tools: number
  /** Images and files that lie inside the body or are linked to. */
  readonly mediaParts: number
  /** UTF-16 units of the body that are those parts' data or links: their length says nothing of their tokens. */
  readonly mediaLength: number
  /** Sounds inside the body, and the UTF-16 units they take: a sound has fewer tokens than that, but rarely nearly as many. */
  readonly soundParts?: number
  readonly soundLength?: number
  /** UTF-8 bytes that a model reads on top of the body: a reranker's query goes with each of the documents. */
  readonly repeatedBytes?: number
  /** It refers to content of unknown size (an uploaded file, an earlier answer): only the context window bounds it. */
  readonly unbounded: boolean
}

export const textOnly: PromptShape = { items: 0, tools: 0, mediaParts: 0, mediaLength: 0, unbounded: false }
