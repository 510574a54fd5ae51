/**
 * The shape of a body and its answer on the wire: OpenAI's Chat Completions, Responses and Embeddings, Anthropic's
 * Messages, and rerank as Cohere and its likes do it.
 */
export type Dialect = 'chat' | 'responses' | 'messages' | 'embeddings' | 'rerank'

/** A parsed JSON object from outside: its members may be anything. */
export type Body = Readonly<Record<string, unknown>>
