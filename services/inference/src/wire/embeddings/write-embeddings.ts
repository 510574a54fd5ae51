import type { Usage } from '../usage.ts'

export interface WrittenEmbeddings {
  /** As the provider calls it. */
  readonly model: string
  /** One for each input, in the order of the inputs. */
  readonly vectors: readonly (readonly number[])[]
  /** Null when the provider did not say. */
  readonly usage: Usage | null
}

/** The JSON of an answer in OpenAI's shape, with vectors as numbers, for adapters whose provider has another. */
export function writeEmbeddings({ model, vectors, usage }: WrittenEmbeddings): Buffer {
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }))
  const counts = usage === null ? {} : { usage: embeddingsUsage(usage) }
  return Buffer.from(JSON.stringify({ object: 'list', data, model, ...counts }))
}

/** Usage in the fields of OpenAI's Embeddings. */
export function embeddingsUsage({ promptTokens }: Usage) {
  return { prompt_tokens: promptTokens, total_tokens: promptTokens }
}
