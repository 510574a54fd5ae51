/** What a model can do and will take. */
export interface ModelTraits {
  /** Its provider, as the catalog names it; null where nobody knows. */
  readonly provider: string | null
  readonly capabilities: readonly string[]
  readonly unsupportedParameters: readonly string[]
}

export interface StructuredQuestion {
  readonly model: string
  readonly system: string
  readonly user: string
  /** Of the answer's form: a word. */
  readonly name: string
  /** JSON Schema of the answer, an object. */
  readonly schema: Readonly<Record<string, unknown>>
  /** Tokens that an answer takes at most. */
  readonly maxTokens: number
}

/** A model that thinks first needs so many times the tokens. */
const thinkingFactor = 4

/**
 * The chat completion that asks a model for one JSON object, as JSON. It asks for the likeliest answer (temperature 0) and
 * for the form wherever the model takes that.
 */
export function structuredRequest(question: StructuredQuestion, traits: ModelTraits): string {
  const { model, system, user, maxTokens } = question
  const takes = (name: string) => !traits.unsupportedParameters.includes(name)
  const format = responseFormat(question, traits)
  return JSON.stringify({
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    [limitName(traits)]: traits.capabilities.includes('reasoning') ? thinkingFactor * maxTokens : maxTokens,
    ...(takes('temperature') ? { temperature: 0 } : {}),
    ...(takes('response_format') && format !== null ? { response_format: format } : {}),
  })
}

/** What a model calls the most tokens that it may answer: OpenAI's reasoning models know only the newer name, most others only the older. */
export function limitName({ provider, unsupportedParameters }: ModelTraits): 'max_tokens' | 'max_completion_tokens' {
  if (unsupportedParameters.includes('max_tokens')) return 'max_completion_tokens'
  if (unsupportedParameters.includes('max_completion_tokens')) return 'max_tokens'
  return provider === 'openai' ? 'max_completion_tokens' : 'max_tokens'
}

function responseFormat({ name, schema }: StructuredQuestion, { capabilities }: ModelTraits): object | null {
  if (capabilities.includes('json_schema')) return { type: 'json_schema', json_schema: { name, strict: true, schema } }
  return capabilities.includes('json_object') ? { type: 'json_object' } : null
}
