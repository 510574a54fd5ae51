export interface ModelTraits {
  /** The provider's name in the catalog; null when unknown. */
  readonly provider: string | null
  readonly capabilities: readonly string[]
  readonly unsupportedParameters: readonly string[]
}

export interface StructuredQuestion {
  readonly model: string
  readonly system: string
  readonly user: string
  /** Name of the answer's format. */
  readonly name: string
  /** JSON Schema of the answer, which is an object. */
  readonly schema: Readonly<Record<string, unknown>>
  /** Maximum tokens of an answer without reasoning. */
  readonly maxTokens: number
}

/** Reasoning models get a multiple of the tokens. */
const thinkingFactor = 4

/**
 * The body of a chat completion request for one JSON object. It sets temperature 0 and the response format if the model
 * supports them.
 */
export function structuredRequest(question: StructuredQuestion, traits: ModelTraits): string {
  const { model, system, user, maxTokens } = question
  const supports = (name: string) => !traits.unsupportedParameters.includes(name)
  const format = responseFormat(question, traits)
  return JSON.stringify({
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    [limitName(traits)]: traits.capabilities.includes('reasoning') ? thinkingFactor * maxTokens : maxTokens,
    ...(supports('temperature') ? { temperature: 0 } : {}),
    ...(supports('response_format') && format !== null ? { response_format: format } : {}),
  })
}

/** The name of the token limit: reasoning models of OpenAI know only the newer name, most others only the older one. */
export function limitName({ provider, unsupportedParameters }: ModelTraits): 'max_tokens' | 'max_completion_tokens' {
  if (unsupportedParameters.includes('max_tokens')) return 'max_completion_tokens'
  if (unsupportedParameters.includes('max_completion_tokens')) return 'max_tokens'
  return provider === 'openai' ? 'max_completion_tokens' : 'max_tokens'
}

function responseFormat({ name, schema }: StructuredQuestion, { capabilities }: ModelTraits): object | null {
  if (capabilities.includes('json_schema')) return { type: 'json_schema', json_schema: { name, strict: true, schema } }
  return capabilities.includes('json_object') ? { type: 'json_object' } : null
}
