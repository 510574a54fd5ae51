import { type MemberRules, memberRules } from '../check-members.ts'
import { assistantMessage, commonParameters, plainMessage, toolCallRules, toolMessage } from '../common-members.ts'
import type { ChatRules } from '../fit-chat-body.ts'

/** How each parameter of a chat completion is handled. */
export const bodyRules = memberRules({
  ...commonParameters,
  user: 'harmless',
  safety_identifier: 'harmless',
  frequency_penalty: { only: [0] },
  presence_penalty: { only: [0] },
  parallel_tool_calls: { only: [true], labels: [false] },
})

/** Members of a message, by its role. */
export const messageRules: Readonly<Record<'system' | 'user' | 'assistant' | 'tool', MemberRules>> = {
  system: plainMessage,
  user: plainMessage,
  assistant: assistantMessage,
  tool: toolMessage,
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
export const toolRules = memberRules({ type: { only: ['function'] }, function: 'honoured', cache_control: 'harmless' })
/** Bedrock always follows a schema, so `strict` adds nothing. */
export const jsonSchemaRules = memberRules({
  name: 'honoured',
  description: 'honoured',
  schema: 'honoured',
  strict: 'harmless',
})

const rulesByRole = new Map<unknown, MemberRules>(Object.entries({ ...messageRules, developer: messageRules.system }))
const rulesByType = new Map<unknown, MemberRules>(Object.entries(partRules))

/** All rules for a chat completion request. */
export const chatRules: ChatRules = {
  body: bodyRules,
  messages: (role) => rulesByRole.get(role),
  parts: (type) => rulesByType.get(type),
  toolCall: toolCallRules,
  tool: toolRules,
  jsonSchema: jsonSchemaRules,
  hasJsonObjects: false,
  imageDetails: ['auto'],
  maxTemperature: 1,
}
