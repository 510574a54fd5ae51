/**
 * The wire format of a body and its answer: Chat Completions, Responses and Embeddings of OpenAI, Messages of
 * Anthropic, rerank as Cohere and similar providers have it, and the smaller APIs of OpenAI. A `speech` answer and a
 * `transcriptions` request are JSON here, with their sounds in base64.
 */
export const dialects = [
  'chat',
  'responses',
  'messages',
  'embeddings',
  'rerank',
  'moderations',
  'images',
  'speech',
  'transcriptions',
] as const
export type Dialect = (typeof dialects)[number]

/** A parsed JSON object from outside. Its members are not validated. */
export type Body = Readonly<Record<string, unknown>>
