import { type MemberRules, memberRules } from '../check-members.ts'
import { assistantMessage, commonParameters, plainMessage, toolCallRules, toolMessage } from '../common-members.ts'
import type { ChatRules } from '../fit-chat-body.ts'

/** How each parameter of a chat completion is handled. */
export const bodyRules = memberRules({
  ...commonParameters,
  top_k: 'honoured',
  thinking: 'honoured', // Anthropic's own parameter, for settings that an effort cannot express
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
  ['file', memberRules({ type: 'honoured', file: 'honoured', cache_control: 'honoured' })],
])

/** Anthropic reads every image in full detail, so it cannot honour a lower one. */
export const imageRules = memberRules({ url: 'honoured', detail: { only: ['auto', 'high'] } })
export const fileRules = memberRules({ file_data: 'honoured', filename: 'honoured' })
/** Caches of an hour are written for Messages requests only, and only those hold their price. */
export const cacheControlRules = memberRules({ type: { only: ['ephemeral'] }, ttl: { only: ['5m'] } })
export const toolRules = memberRules({ type: 'honoured', function: 'honoured', cache_control: 'honoured' })
/** Anthropic always follows a schema, so `strict` adds nothing. */
export const jsonSchemaRules = memberRules({
  name: 'harmless',
  strict: 'harmless',
  description: 'honoured',
  schema: 'honoured',
})

/** All rules for a chat completion request. */
export const chatRules: ChatRules = {
  body: bodyRules,
  messages: (role) => messageRules.get(role),
  parts: (type) => partRules.get(type),
  toolCall: toolCallRules,
  tool: toolRules,
  jsonSchema: jsonSchemaRules,
  hasJsonObjects: false,
  imageDetails: ['auto', 'high'],
  maxTemperature: 1,
}
