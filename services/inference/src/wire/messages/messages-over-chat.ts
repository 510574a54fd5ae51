import type { ChatTranslation } from '../over-chat.ts'
import { chatFromMessages } from './chat-request.ts'
import { messageFromChat } from './message-from-chat.ts'
import { messageStreamFromChat } from './message-stream-from-chat.ts'
import { nameField } from './name-field.ts'

/** Anthropic's Messages spoken with the help of chat completions. */
export const messagesOverChat: ChatTranslation = {
  dialect: 'messages',
  toChat: chatFromMessages,
  nameField,
  fromReply: messageFromChat,
  fromStream: messageStreamFromChat,
}
