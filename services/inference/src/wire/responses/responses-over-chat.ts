import type { ChatTranslation } from '../translate-via-chat.ts'
import { chatReplyToResponse } from './chat-reply-to-response.ts'
import { chatStreamToEvents } from './chat-stream-to-events.ts'
import { nameField } from './to-chat/name-field.ts'
import { responsesToChat } from './to-chat/responses-to-chat.ts'

/** Translates the Responses API of OpenAI to chat completions and back. */
export const responsesOverChat: ChatTranslation = {
  dialect: 'responses',
  toChat: responsesToChat,
  nameField,
  fromReply: chatReplyToResponse,
  fromStream: chatStreamToEvents,
}
