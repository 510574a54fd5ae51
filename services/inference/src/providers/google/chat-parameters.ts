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
  top_k: 'honoured',
  stop: 'honoured',
  seed: 'honoured',
  presence_penalty: 'honoured',
  frequency_penalty: 'honoured',
  response_format: 'honoured',
  reasoning_effort: 'honoured',
  tools: 'honoured',
  tool_choice: 'honoured',
  // Read by the gateway, or a hint that changes no answer.
  models: 'harmless',
  stream_options: 'harmless',
  user: 'harmless',
  safety_identifier: 'harmless',
  metadata: 'harmless',
  prompt_cache_key: 'harmless',
  prompt_cache_retention: 'harmless',
  n: { only: [1] },
  store: { only: [false] },
  service_tier: { only: ['auto', 'default'] },
  modalities: { only: [['text']] },
  verbosity: { only: ['medium'] },
  logprobs: { only: [false] },
  top_logprobs: { only: [0] },
  logit_bias: { only: [{}] },
  parallel_tool_calls: { only: [true] },
})

/** Members of a message, by its role. */
export const messageRules: ReadonlyMap<string, MemberRules> = new Map([
  ['system', memberRules({ role: 'honoured', content: 'honoured' })],
  ['developer', memberRules({ role: 'honoured', content: 'honoured' })],
  ['user', memberRules({ role: 'honoured', content: 'honoured' })],
  [
    'assistant',
    memberRules({
      role: 'honoured',
      content: 'honoured',
      refusal: 'honoured',
      tool_calls: 'honoured',
      // Sent back by clients that keep whole answers; Google wants neither its own thoughts nor another model's.
      reasoning_content: 'harmless',
      reasoning: 'harmless',
      reasoning_details: 'harmless',
      extra_content: 'harmless',
      annotations: 'harmless',
    }),
  ],
  // The name is that of the function, which the call tells as well.
  ['tool', memberRules({ role: 'honoured', content: 'honoured', tool_call_id: 'honoured', name: 'harmless' })],
])

/** Members of a content part, by its type. */
export const partRules: ReadonlyMap<string, MemberRules> = new Map([
  ['text', memberRules({ type: 'honoured', text: 'honoured', cache_control: 'harmless' })],
  ['refusal', memberRules({ type: 'honoured', refusal: 'honoured' })],
  ['image_url', memberRules({ type: 'honoured', image_url: 'honoured', cache_control: 'harmless' })],
  ['input_audio', memberRules({ type: 'honoured', input_audio: 'honoured', cache_control: 'harmless' })],
  ['file', memberRules({ type: 'honoured', file: 'honoured', cache_control: 'harmless' })],
])

export const imageRules = memberRules({ url: 'honoured', detail: 'honoured' })
export const audioRules = memberRules({ data: 'honoured', format: 'honoured' })
export const fileRules = memberRules({ file_data: 'honoured', filename: 'harmless' })
export const toolCallRules = memberRules({
  id: 'honoured',
  type: { only: ['function'] },
  function: 'honoured',
  extra_content: 'honoured',
  index: 'harmless',
})
export const calledFunctionRules = memberRules({ name: 'honoured', arguments: 'honoured' })
export const toolRules = memberRules({ type: { only: ['function'] }, function: 'honoured', cache_control: 'harmless' })
export const functionRules = memberRules({
  name: 'honoured',
  description: 'honoured',
  parameters: 'honoured',
  strict: 'honoured',
})
export const toolChoiceRules = memberRules({ type: { only: ['function'] }, function: 'honoured' })
export const namedFunctionRules = memberRules({ name: 'honoured' })
export const responseFormatRules = memberRules({ type: 'honoured', json_schema: 'honoured' })
/** Google always keeps to a schema, so `strict` asks for nothing more. */
export const jsonSchemaRules = memberRules({
  name: 'harmless',
  description: 'harmless',
  strict: 'harmless',
  schema: 'honoured',
})
