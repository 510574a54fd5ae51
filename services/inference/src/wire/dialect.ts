/**
 * The wire format of a body and its answer: Chat Completions, Responses and Embeddings of OpenAI, Messages of
 * Anthropic, and rerank as Cohere and similar providers have it.
 */
export const dialects = ['chat', 'responses', 'messages', 'embeddings', 'rerank'] as const
export type Dialect = (typeof dialects)[number]

/** A parsed JSON object from outside. Its members are not validated. */
export type Body = Readonly<Record<string, unknown>>
