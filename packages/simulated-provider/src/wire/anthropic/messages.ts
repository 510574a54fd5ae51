import { answerChat } from '../../answers/chat-answer.ts'
import { writeLongText } from '../../answers/write-answer-text.ts'
import { withinLimits } from '../model-limits.ts'
import type { Call, Reply } from '../reply.ts'
import { reportedUsage, shownReasoning, usageOf } from '../usage.ts'
import { failureOf } from '../wire-error.ts'
import { anthropicError } from './anthropic-wire.ts'
import { answerBlocks, searchBlocks, searchesOf } from './content-block.ts'
import { messageUsage, openingUsage } from './message-usage.ts'
import { readMessagesRequest, thinksAloud } from './messages-request.ts'
import { messageFrames } from './messages-stream.ts'

const stopReasons = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' } as const

/** Members that every message has, and that only features have a value for which are not simulated. */
const unused = { container: null, diagnostics: null }

/** POST /v1/messages. Reasoning tokens are returned as a readable thinking block. */
export function answerMessages(call: Call): Reply {
  const request = withinLimits(readMessagesRequest(call.body, call.model), call.model)
  const [choice] = answerChat(call, request)
  if (choice === undefined) throw new Error('a request has at least one choice')
  const searches = searchesOf(call.body)
  // The prompt is read again after each search, and the usage is that of all readings.
  const usage = usageOf(request.promptTokens * (1 + searches), choice.tokens, thinking(call))
  const reported = reportedUsage(usage, call.behaviour)
  const counts = reported === null ? null : messageUsage(reported, call.body)
  const shown = shownReasoning(usage, call.behaviour)
  const content = [
    ...searchBlocks(call.name, searches),
    ...answerBlocks(choice, shown === 0 ? '' : writeLongText(shown)),
  ]
  const head = {
    id: `msg_${call.name.slice(0, 24)}`,
    type: 'message',
    role: 'assistant',
    model: call.model.id,
    ...unused,
  }
  const ending = { stop_reason: stopReasons[choice.finishReason], stop_sequence: null, stop_details: null }
  if (request.stream) {
    const errorFrame = `event: error\ndata: ${anthropicError(failureOf(500))}\n\n`
    const endsWithUsage = call.behaviour?.kind !== 'early-usage'
    const opening = reported === null ? null : openingUsage(reported, call.body)
    const frames = messageFrames({ head, content, ending, opening, usage: counts, endsWithUsage })
    return { kind: 'stream', frames, errorFrame, usage }
  }
  const body = JSON.stringify({
    ...head,
    content: content.map(({ block }) => block),
    ...ending,
    ...(counts === null ? {} : { usage: counts }),
  })
  return { kind: 'json', status: 200, body, tokens: usage.completion, usage }
}

/** A model with a thinking budget does not think without one. */
function thinking(call: Call): Call {
  const thinks = call.model.thinksByEffort || call.behaviour?.kind !== 'reasoning' || thinksAloud(call.body)
  return thinks ? call : { ...call, behaviour: null }
}
