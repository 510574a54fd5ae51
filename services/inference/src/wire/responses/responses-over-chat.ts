import type { ChatTranslation } from '../over-chat.ts'
import { chatReplyToResponse } from './chat-reply-to-response.ts'
import { chatStreamToEvents } from './chat-stream-to-events.ts'
import { nameField } from './to-chat/name-field.ts'
import { responsesToChat } from './to-chat/responses-to-chat.ts'

/** OpenAI's Responses, spoken with the help of chat completions. */
export const responsesOverChat: ChatTranslation = {
  dialect: 'responses',
  toChat: responsesToChat,
  nameField,
  fromReply: chatReplyToResponse,
  fromStream: chatStreamToEvents,
}
