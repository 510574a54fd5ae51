import { messageEvent, wireMessagesUsage } from '../../wire/messages/message-event.ts'
import { finishWithUsage } from '../finish-with-usage.ts'
import type { Surface } from '../surface.ts'
import { createMessagesTracker } from './messages-tracker.ts'
import { readMessagesFacts } from './read-messages-facts.ts'
import { replayMessage } from './replay-message.ts'
import { unsupportedMessagesParameter } from './unsupported-messages-parameter.ts'

/** The Messages API of Anthropic. */
export const messagesSurface: Surface = {
  dialect: 'messages',
  serves: 'chat',
  readFacts: readMessagesFacts,
  unsupportedParameter: unsupportedMessagesParameter,
  finishReply: (reply, charged) => finishWithUsage(reply, charged, wireMessagesUsage),
  stream: {
    createTracker: (_context, recording) => createMessagesTracker(recording),
    replay: replayMessage,
  },
  errorFrame: ({ error }) => messageEvent('error', { error }),
}
