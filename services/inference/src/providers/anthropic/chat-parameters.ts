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
  response_format: 'honoured',
  reasoning_effort: 'honoured',
  thinking: 'honoured', // Anthropic's own, for what an effort cannot say
  tools: 'honoured',
  tool_choice: 'honoured',
  parallel_tool_calls: 'honoured',
  user: 'honoured',
  safety_identifier: 'honoured',
  // Read by the gateway, or a hint that changes no answer.
  models: 'harmless',
  stream_options: 'harmless',
  metadata: 'harmless',
  prompt_cache_key: 'harmless',
  prompt_cache_retention: 'harmless',
  n: { only: [1] },
  store: { only: [false] },
  service_tier: { only: ['auto', 'default'] },
  modalities: { only: [['text']] },
  verbosity: { only: ['medium'] },
  presence_penalty: { only: [0] },
  frequency_penalty: { only: [0] },
  logprobs: { only: [false] },
  top_logprobs: { only: [0] },
  logit_bias: { only: [{}] },
})

const plainMessage = memberRules({ role: 'honoured', content: 'honoured' })

/** Members of a message, by its role. */
export const messageRules: ReadonlyMap<unknown, MemberRules> = new Map([
  ['system', plainMessage],
  ['developer', plainMessage],
  ['user', plainMessage],
  [
    'assistant',
    memberRules({
      role: 'honoured',
      content: 'honoured',
      refusal: 'honoured',
      tool_calls: 'honoured',
      // Sent back by clients that keep whole answers; Anthropic takes no thinking without its own signature.
      reasoning_content: 'harmless',
      reasoning: 'harmless',
      reasoning_details: 'harmless',
      annotations: 'harmless',
    }),
  ],
  // The name is that of the function, which the call tells as well.
  ['tool', memberRules({ role: 'honoured', content: 'honoured', tool_call_id: 'honoured', name: 'harmless' })],
])

/** Members of a content part, by its type. */
export const partRules: ReadonlyMap<unknown, MemberRules> = new Map([
  ['text', memberRules({ type: 'honoured', text: 'honoured', cache_control: 'honoured' })],
  ['refusal', memberRules({ type: 'honoured', refusal: 'honoured' })],
  ['image_url', memberRules({ type: 'honoured', image_url: 'honoured', cache_control: 'honoured' })],
])

/** Anthropic reads every image in full, so only a lower detail is more than it can do. */
export const imageRules = memberRules({ url: 'honoured', detail: { only: ['auto', 'high'] } })
/** A cache that lives longer than five minutes has a price that the catalog does not know. */
export const cacheControlRules = memberRules({ type: { only: ['ephemeral'] }, ttl: { only: ['5m'] } })
export const toolCallRules = memberRules({
  id: 'honoured',
  type: { only: ['function'] },
  function: 'honoured',
  index: 'harmless',
})
export const calledFunctionRules = memberRules({ name: 'honoured', arguments: 'honoured' })
export const toolRules = memberRules({ type: 'honoured', function: 'honoured', cache_control: 'honoured' })
export const functionRules = memberRules({
  name: 'honoured',
  description: 'honoured',
  parameters: 'honoured',
  strict: 'honoured',
})
export const toolChoiceRules = memberRules({ type: { only: ['function'] }, function: 'honoured' })
export const namedFunctionRules = memberRules({ name: 'honoured' })
export const responseFormatRules = memberRules({ type: 'honoured', json_schema: 'honoured' })
/** Anthropic always keeps to a schema, so `strict` asks for nothing more. */
export const jsonSchemaRules = memberRules({
  name: 'harmless',
  strict: 'harmless',
  description: 'honoured',
  schema: 'honoured',
})
