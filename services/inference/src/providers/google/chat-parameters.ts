import { type MemberRules, memberRules } from '../check-members.ts'
import {
  assistantMessage,
  commonParameters,
  plainMessage,
  signedToolCallRules,
  toolMessage,
} from '../common-members.ts'
import type { ChatRules } from '../fit-chat-body.ts'

/** How each parameter of a chat completion is handled. */
export const bodyRules = memberRules({
  ...commonParameters,
  top_k: 'honoured',
  seed: 'honoured',
  presence_penalty: 'honoured',
  frequency_penalty: 'honoured',
  user: 'harmless',
  safety_identifier: 'harmless',
  parallel_tool_calls: { only: [true], labels: [false] },
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
  ['text', memberRules({ type: 'honoured', text: 'honoured', cache_control: 'harmless' })],
  ['refusal', memberRules({ type: 'honoured', refusal: 'honoured' })],
  ['image_url', memberRules({ type: 'honoured', image_url: 'honoured', cache_control: 'harmless' })],
  ['input_audio', memberRules({ type: 'honoured', input_audio: 'honoured', cache_control: 'harmless' })],
  ['file', memberRules({ type: 'honoured', file: 'honoured', cache_control: 'harmless' })],
])

export const imageRules = memberRules({ url: 'honoured', detail: 'honoured' })
export const audioRules = memberRules({ data: 'honoured', format: 'honoured' })
export const fileRules = memberRules({ file_data: 'honoured', filename: 'harmless' })
export const toolRules = memberRules({ type: { only: ['function'] }, function: 'honoured', cache_control: 'harmless' })
/** Google always follows a schema, so `strict` adds nothing. */
export const jsonSchemaRules = memberRules({
  name: 'harmless',
  description: 'harmless',
  strict: 'harmless',
  schema: 'honoured',
})

/** All rules for a chat completion request. */
export const chatRules: ChatRules = {
  body: bodyRules,
  messages: (role) => messageRules.get(role),
  parts: (type) => partRules.get(type),
  toolCall: signedToolCallRules,
  tool: toolRules,
  jsonSchema: jsonSchemaRules,
  hasJsonObjects: true,
  imageDetails: ['auto', 'low', 'high'],
  hasOneDetail: true,
  maxTemperature: 2,
}
