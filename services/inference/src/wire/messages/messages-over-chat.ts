import type { ChatTranslation } from '../translate-via-chat.ts'
import { chatFromMessages } from './chat-request.ts'
import { messageFromChat } from './message-from-chat.ts'
import { messageStreamFromChat } from './message-stream-from-chat.ts'
import { nameField } from './name-field.ts'

/** Translates the Messages API of Anthropic to chat completions and back. */
export const messagesOverChat: ChatTranslation = {
  dialect: 'messages',
  toChat: chatFromMessages,
  nameField,
  fromReply: messageFromChat,
  fromStream: messageStreamFromChat,
}
