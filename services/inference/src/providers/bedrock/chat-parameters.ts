import { type MemberRules, memberRules } from '../check-members.ts'

/** What becomes of each parameter of a chat completion. */
export const bodyRules = memberRules({
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
  user: 'harmless',
  metadata: 'harmless',
  safety_identifier: 'harmless',
  prompt_cache_key: 'harmless',
  prompt_cache_retention: 'harmless',
  n: { only: [1] },
  store: { only: [false] },
  logprobs: { only: [false] },
  top_logprobs: { only: [0] },
  logit_bias: { only: [{}] },
  frequency_penalty: { only: [0] },
  presence_penalty: { only: [0] },
  parallel_tool_calls: { only: [true] },
  service_tier: { only: ['auto', 'default'] },
  modalities: { only: [['text']] },
  verbosity: { only: ['medium'] },
})

/** Members of a message, by its role. */
export const messageRules: Readonly<Record<'system' | 'user' | 'assistant' | 'tool', MemberRules>> = {
  system: memberRules({ role: 'honoured', content: 'honoured' }),
  user: memberRules({ role: 'honoured', content: 'honoured' }),
  assistant: memberRules({
    role: 'honoured',
    content: 'honoured',
    refusal: 'honoured',
    tool_calls: 'honoured',
    // Reasoning that is sent back is not part of the conversation: Bedrock only takes what it has signed itself.
    reasoning_content: 'harmless',
    reasoning: 'harmless',
    reasoning_details: 'harmless',
    annotations: 'harmless',
  }),
  // The name is that of the function, which the call tells as well.
  tool: memberRules({ role: 'honoured', content: 'honoured', tool_call_id: 'honoured', name: 'harmless' }),
}

/** Members of a content part, by its type. */
export const partRules = {
  text: memberRules({ type: 'honoured', text: 'honoured', cache_control: 'honoured' }),
  refusal: memberRules({ type: 'honoured', refusal: 'honoured' }),
  image_url: memberRules({ type: 'honoured', image_url: 'honoured', cache_control: 'honoured' }),
  file: memberRules({ type: 'honoured', file: 'honoured', cache_control: 'honoured' }),
}

export const imageRules = memberRules({ url: 'honoured', detail: { only: ['auto'] } })
export const fileRules = memberRules({ file_data: 'honoured', filename: 'honoured' })
export const toolCallRules = memberRules({
  id: 'honoured',
  type: { only: ['function'] },
  function: 'honoured',
  index: 'harmless',
})
export const calledFunctionRules = memberRules({ name: 'honoured', arguments: 'honoured' })
export const toolRules = memberRules({ type: { only: ['function'] }, function: 'honoured', cache_control: 'honoured' })
export const functionRules = memberRules({
  name: 'honoured',
  description: 'honoured',
  parameters: 'honoured',
  strict: 'honoured',
})
export const toolChoiceRules = memberRules({ type: { only: ['function'] }, function: 'honoured' })
export const responseFormatRules = memberRules({ type: 'honoured', json_schema: 'honoured' })
/** Bedrock always keeps to a schema, so `strict` asks for nothing more. */
export const jsonSchemaRules = memberRules({
  name: 'honoured',
  description: 'honoured',
  schema: 'honoured',
  strict: 'harmless',
})
