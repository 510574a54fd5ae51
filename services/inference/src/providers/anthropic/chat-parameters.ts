import { type MemberRules, memberRules } from '../check-members.ts'
import { assistantMessage, commonParameters, plainMessage, toolMessage } from '../common-members.ts'

/** What becomes of each parameter of a chat completion. */
export const bodyRules = memberRules({
  ...commonParameters,
  top_k: 'honoured',
  thinking: 'honoured', // Anthropic's own, for what an effort cannot say
  parallel_tool_calls: 'honoured',
  user: 'honoured',
  safety_identifier: 'honoured',
  presence_penalty: { only: [0] },
  frequency_penalty: { only: [0] },
})

/** Members of a message, by its role. */
export const messageRules: ReadonlyMap<unknown, MemberRules> = new Map([
  ['system', plainMessage],
  ['developer', plainMessage],
  ['user', plainMessage],
  ['assistant', assistantMessage],
  ['tool', toolMessage],
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
export const toolRules = memberRules({ type: 'honoured', function: 'honoured', cache_control: 'honoured' })
/** Anthropic always keeps to a schema, so `strict` asks for nothing more. */
export const jsonSchemaRules = memberRules({
  name: 'harmless',
  strict: 'harmless',
  description: 'honoured',
  schema: 'honoured',
})
