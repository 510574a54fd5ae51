/*
 * Attribute names of the supported conventions: OpenTelemetry's for generative AI with their former names, OpenInference's,
 * the older ones of OpenLLMetry, and those of the Vercel AI SDK, Langfuse, LangSmith and Logfire. The first attribute with a
 * value counts.
 */

/** Attributes that mark a span as a model call. The first one that a span has decides. */
export const exchangeMarks = [
  { attribute: 'gen_ai.operation.name', values: ['chat', 'text_completion', 'generate_content'] },
  { attribute: 'openinference.span.kind', values: ['LLM'] },
  { attribute: 'traceloop.span.kind', values: ['llm'] },
  { attribute: 'llm.request.type', values: ['chat', 'completion'] },
  {
    attribute: 'ai.operationId',
    values: [
      'ai.generateText.doGenerate',
      'ai.streamText.doStream',
      'ai.generateObject.doGenerate',
      'ai.streamObject.doStream',
    ],
  },
  { attribute: 'langfuse.observation.type', values: ['generation'] },
  { attribute: 'langsmith.span.kind', values: ['llm'] },
] as const

/** Prefixes of attributes that only model calls have, for spans without any of the marks. */
export const exchangePrefixes = ['gen_ai.prompt.', 'gen_ai.completion.', 'llm.prompts.', 'llm.completions.'] as const

/** Attributes with content that make a span with a model, but without any of the marks, a model call. */
export const contentMarks = [
  'gen_ai.prompt',
  'gen_ai.completion',
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'ai.prompt.messages',
  'events',
  'request_data',
] as const

export const exchangeAttributes = {
  requestedModel: [
    'gen_ai.request.model',
    'llm.model_name',
    'llm.request.model',
    'embedding.model_name',
    'ai.model.id',
    'langfuse.observation.model.name',
    'langsmith.metadata.ls_model_name',
  ],
  servedModel: ['gen_ai.response.model', 'llm.response.model', 'ai.response.model'],
  provider: [
    'gen_ai.provider.name',
    'gen_ai.system',
    'llm.provider',
    'llm.system',
    'llm.vendor',
    'ai.model.provider',
    'langsmith.metadata.ls_provider',
  ],
  finishReason: [
    'gen_ai.response.finish_reasons',
    'llm.finish_reason',
    'llm.response.finish_reason',
    'gen_ai.response.finish_reason',
    'ai.response.finishReason',
    'ai.finishReason',
  ],
  conversationId: [
    'gen_ai.conversation.id',
    'session.id',
    'langfuse.session.id',
    'traceloop.association.properties.session_id',
    'ai.telemetry.metadata.sessionId',
    'ai.telemetry.metadata.conversationId',
    'langsmith.metadata.session_id',
    'langsmith.metadata.thread_id',
    'langsmith.metadata.conversation_id',
  ],
  promptTokens: [
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.token_count.prompt',
    'llm.usage.prompt_tokens',
    'ai.usage.inputTokens',
    'ai.usage.promptTokens',
  ],
  completionTokens: [
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
    'llm.usage.completion_tokens',
    'ai.usage.outputTokens',
    'ai.usage.completionTokens',
  ],
  reasoningTokens: [
    'gen_ai.usage.reasoning.output_tokens',
    'gen_ai.usage.reasoning_tokens',
    'llm.token_count.completion_details.reasoning',
    'llm.usage.reasoning_tokens',
    'ai.usage.outputTokenDetails.reasoningTokens',
    'ai.usage.reasoningTokens',
  ],
  stream: ['gen_ai.request.stream', 'gen_ai.is_streaming', 'llm.is_streaming', 'llm.request.streaming'],
  /** Counts by kind as a JSON object; names that begin with `input` or `output` add up. */
  usageDetails: 'langfuse.observation.usage_details',
  /** Milliseconds. */
  firstTokenMs: ['ai.response.msToFirstChunk'],
  /** A time in ISO 8601, as JSON. */
  firstTokenAt: 'langfuse.observation.completion_start_time',
  /** Seconds. */
  firstTokenSeconds: ['gen_ai.response.time_to_first_chunk', 'gen_ai.server.time_to_first_token'],
  /** Attributes that may contain the request id of the gateway. */
  requestId: ['svc.request_id', 'http.response.header.x-request-id', 'gen_ai.response.id', 'llm.response.id'],
} as const

/** Attributes of sampling parameters, by their names in chat completions. */
export const parameterAttributes = {
  temperature: ['gen_ai.request.temperature', 'llm.request.temperature', 'llm.temperature'],
  top_p: ['gen_ai.request.top_p', 'llm.request.top_p', 'llm.top_p'],
  top_k: ['gen_ai.request.top_k', 'llm.request.top_k', 'llm.top_k'],
  max_tokens: ['gen_ai.request.max_tokens', 'llm.request.max_tokens'],
  seed: ['gen_ai.request.seed', 'gen_ai.openai.request.seed'],
  stop: ['gen_ai.request.stop_sequences', 'llm.chat.stop_sequences'],
  n: ['gen_ai.request.choice.count'],
  frequency_penalty: ['gen_ai.request.frequency_penalty', 'llm.frequency_penalty'],
  presence_penalty: ['gen_ai.request.presence_penalty', 'llm.presence_penalty'],
} as const

/** The end user, and prefixes of what a client noted. */
export const clientMetadataAttributes = {
  user: [
    'user.id',
    'enduser.id',
    'langfuse.user.id',
    'ai.telemetry.metadata.userId',
    'traceloop.association.properties.user_id',
    'langsmith.metadata.user_id',
  ],
  metadata: [
    'svc.metadata.',
    'ai.telemetry.metadata.',
    'langfuse.trace.metadata.',
    'traceloop.association.properties.',
  ],
} as const

/** Attributes with the sent parameters as a JSON object, the last one with precedence, and the names that are read from them. */
export const invocationParameters = {
  attributes: [
    'gen_ai.prompt', // the request itself, in spans of LangSmith
    'langfuse.observation.input',
    'langfuse.observation.model.parameters',
    'llm.invocation_parameters',
  ],
  taken: [
    ...(Object.keys(parameterAttributes) as (keyof typeof parameterAttributes)[]),
    'max_completion_tokens',
    'reasoning_effort',
    'tool_choice',
    'parallel_tool_calls',
    'logprobs',
  ],
  responseFormat: 'response_format',
} as const

/** The tag of an exchange: an attribute of the span, or the name of the application. */
export const tagAttributes = {
  span: ['svc.tag', 'ai.telemetry.functionId'],
  resource: ['svc.tag', 'service.name'],
} as const

/** Messages as structures or as JSON text, on the span or on one of its events. */
export const structuredMessages = {
  input: 'gen_ai.input.messages',
  output: 'gen_ai.output.messages',
  system: 'gen_ai.system_instructions',
  tools: 'gen_ai.tool.definitions',
  events: ['gen_ai.client.inference.operation.details'],
} as const

/** Names of events with one message each, with the role to use when the event has none. */
export const messageEvents: Readonly<Record<string, string>> = {
  'gen_ai.system.message': 'system',
  'gen_ai.user.message': 'user',
  'gen_ai.assistant.message': 'assistant',
  'gen_ai.tool.message': 'tool',
}
export const choiceEvent = 'gen_ai.choice'

/** An event for the whole prompt and one for the answer, each with an attribute in JSON. */
export const contentEvents = {
  prompt: { event: 'gen_ai.content.prompt', attribute: 'gen_ai.prompt' },
  completion: { event: 'gen_ai.content.completion', attribute: 'gen_ai.completion' },
} as const

/**
 * Messages that are spread over attributes with their index in the name. `wrapper` is a prefix of each member's name.
 */
export const spreadMessages = [
  { input: 'llm.input_messages', output: 'llm.output_messages', tools: 'llm.tools', wrapper: 'message' },
  { input: 'gen_ai.prompt', output: 'gen_ai.completion', tools: 'llm.request.functions', wrapper: null },
  { input: 'llm.prompts', output: 'llm.completions', tools: 'llm.request.functions', wrapper: null },
] as const
export type SpreadMessages = (typeof spreadMessages)[number]

/** The content of spans of the Vercel AI SDK; the names of its third version come last. */
export const aiSdkContent = {
  messages: ['ai.prompt.messages', 'ai.prompt'],
  tools: 'ai.prompt.tools',
  text: ['ai.response.text', 'ai.response.object', 'ai.result.text', 'ai.result.object'],
  reasoning: ['ai.response.reasoning'],
  toolCalls: ['ai.response.toolCalls', 'ai.result.toolCalls'],
} as const

/** Pairs of attributes with a request, or its messages, and an answer, which are used when no other has the content. */
export const rawContent = [
  { input: 'langfuse.observation.input', output: 'langfuse.observation.output' },
  { input: 'gen_ai.prompt', output: 'gen_ai.completion' },
  { input: 'request_data', output: 'response_data' },
  { input: 'llm.prompts', output: 'output.value' },
  { input: 'input.value', output: 'output.value' },
  { input: 'traceloop.entity.input', output: 'traceloop.entity.output' },
] as const

/** An attribute with a list of events, each with the name of its event among its members. */
export const eventsAttribute = { attribute: 'events', name: 'event.name' } as const
