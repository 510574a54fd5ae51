import { type MemberRule, memberRules } from './check-members.ts'

type Table = Readonly<Record<string, MemberRule>>

/** Parameters of a chat completion that have the same meaning with every provider whose API differs from OpenAI's. */
export const commonParameters: Table = {
  model: 'honoured',
  messages: 'honoured',
  stream: 'honoured',
  max_tokens: 'honoured',
  max_completion_tokens: 'honoured',
  temperature: 'honoured',
  top_p: 'honoured',
  stop: 'honoured',
  tools: 'honoured',
  tool_choice: 'honoured',
  response_format: 'honoured',
  reasoning_effort: 'honoured',
  // Read by the gateway, or a hint that changes no answer.
  models: 'harmless',
  stream_options: 'harmless',
  metadata: 'harmless',
  prompt_cache_key: 'harmless',
  prompt_cache_retention: 'harmless',
  n: { only: [1] },
  store: { only: [false], labels: 'any' },
  // A faster tier costs more, so the answer is only slower without it; a cheaper one would be charged more than asked.
  service_tier: { only: ['auto', 'default'], labels: ['priority', 'fast', 'ultrafast', 'scale'] },
  modalities: { only: [['text']] },
  verbosity: { only: ['medium'], labels: 'any' },
  logprobs: { only: [false] },
  top_logprobs: { only: [0] },
  logit_bias: { only: [{}] },
}

export const plainMessage = memberRules({ role: 'honoured', content: 'honoured' })

export const assistantMessage = memberRules({
  role: 'honoured',
  content: 'honoured',
  refusal: 'honoured',
  tool_calls: 'honoured',
  // Clients send these back with whole answers. No provider accepts the reasoning of another one, or its own without a
  // signature.
  reasoning_content: 'harmless',
  reasoning: 'harmless',
  reasoning_details: 'harmless',
  extra_content: 'harmless',
  annotations: 'harmless',
  parsed: 'harmless', // OpenAI's SDKs add it beside the content that it was parsed from
})

/** `name` is the name of the function, which the call has too. */
export const toolMessage = memberRules({
  role: 'honoured',
  content: 'honoured',
  tool_call_id: 'honoured',
  name: 'harmless',
})

const toolCall: Table = { id: 'honoured', type: { only: ['function'] }, function: 'honoured', index: 'harmless' }
/** `extra_content` is Google's signature of a call; no other provider reads it. */
export const toolCallRules = memberRules({ ...toolCall, extra_content: 'harmless' })
export const signedToolCallRules = memberRules({ ...toolCall, extra_content: 'honoured' })

/** `parsed_arguments` is what OpenAI's SDKs parsed from the arguments. */
export const calledFunctionRules = memberRules({
  name: 'honoured',
  arguments: 'honoured',
  parsed_arguments: 'harmless',
})
export const functionRules = memberRules({
  name: 'honoured',
  description: 'honoured',
  parameters: 'honoured',
  strict: 'honoured',
})
export const toolChoiceRules = memberRules({ type: { only: ['function'] }, function: 'honoured' })
export const namedFunctionRules = memberRules({ name: 'honoured' })
export const responseFormatRules = memberRules({ type: 'honoured', json_schema: 'honoured' })
