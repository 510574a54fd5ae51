/**
 * The shape of a body and its answer on the wire: OpenAI's Chat Completions, Responses and Embeddings, Anthropic's
 * Messages, and rerank as Cohere and its likes do it.
 */
export const dialects = ['chat', 'responses', 'messages', 'embeddings', 'rerank'] as const
export type Dialect = (typeof dialects)[number]

/** A parsed JSON object from outside: its members may be anything. */
export type Body = Readonly<Record<string, unknown>>
