import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { wireUsage } from '../../wire/chat/write-chat.ts'
import { unsupportedParameter } from '../../wire/unsupported-parameter.ts'
import { finishWithUsage } from '../finish-with-usage.ts'
import type { Surface } from '../surface.ts'
import { createChatStreamTracker } from './chat-tracker.ts'
import { checkChatRequest } from './check-chat-request.ts'
import { replayChat } from './replay-chat.ts'
import { withoutUnpriced } from './without-unpriced.ts'

/** The Chat Completions API of OpenAI. */
export const chatSurface: Surface = {
  dialect: 'chat',
  serves: 'chat',
  readFacts(body) {
    const checked = checkChatRequest(body)
    if (checked.ok) return checked.facts
    throw new ServiceError(checked.code, checked.message, { param: checked.param })
  },
  unsupportedParameter,
  withoutUnpriced,
  finishReply: (reply, charged) => finishWithUsage(reply, charged, wireUsage),
  stream: { createTracker: createChatStreamTracker, replay: replayChat },
  errorFrame: (envelope) => `data: ${JSON.stringify(envelope)}\n\n`,
}
