import type { Usage } from '../usage.ts'

export interface WrittenEmbeddings {
  /** The model's name at the provider. */
  readonly model: string
  /** One vector per input, in the order of the inputs. */
  readonly vectors: readonly (readonly number[])[]
  /** Null when the provider reported none. */
  readonly usage: Usage | null
}

/** Writes an answer in the format of OpenAI with vectors as numbers, for providers with a different format. */
export function writeEmbeddings({ model, vectors, usage }: WrittenEmbeddings): Buffer {
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }))
  const counts = usage === null ? {} : { usage: embeddingsUsage(usage) }
  return Buffer.from(JSON.stringify({ object: 'list', data, model, ...counts }))
}

/** Usage in the fields of OpenAI's Embeddings. */
export function embeddingsUsage({ promptTokens }: Usage) {
  return { prompt_tokens: promptTokens, total_tokens: promptTokens }
}
