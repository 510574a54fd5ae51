import { answerChat } from '../../answers/chat-answer.ts'
import { writeLongText } from '../../answers/write-answer-text.ts'
import { withinLimits } from '../model-limits.ts'
import { type Fields, isFields } from '../read-fields.ts'
import type { Call, Reply } from '../reply.ts'
import type { TokenCounts } from '../token-counts.ts'
import { earlyUsage, reportedUsage, shownReasoning, usageOf } from '../usage.ts'
import { failureOf } from '../wire-error.ts'
import { type AnswerBlock, answerBlocks } from './converse-block.ts'
import { readConverseRequest } from './converse-request.ts'
import { converseFrames, exceptionFrame } from './converse-stream.ts'

/** POST /model/{model}/converse. Reasoning tokens are returned as a readable block. */
export function answerConverse(call: Call): Reply {
  const { content, stopReason, usage, metadata } = answerOf(call, false)
  const output = { message: { role: 'assistant', content: content.map(({ block }) => block) } }
  const body = JSON.stringify({ output, stopReason, ...metadata })
  return { kind: 'json', status: 200, body, tokens: usage.completion, usage }
}

/** POST /model/{model}/converse-stream: the same answer as binary events. */
export function answerConverseStream(call: Call): Reply {
  const { usage, ...answer } = answerOf(call, true)
  return {
    kind: 'stream',
    contentType: 'application/vnd.amazon.eventstream',
    frames: converseFrames(answer),
    errorFrame: exceptionFrame('internalServerException', failureOf(500).message),
    usage,
  }
}

interface Answer {
  content: readonly AnswerBlock[]
  stopReason: string
  usage: TokenCounts
  metadata: object
  /** True when a stream reports its metadata first. */
  isMetadataEarly: boolean
}

const stopReasons = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' } as const

function answerOf(call: Call, isStream: boolean): Answer {
  const request = withinLimits(readConverseRequest(call.body), call.model)
  const [choice] = answerChat({ ...call, body: decisiveBody(call.body) }, request)
  if (choice === undefined) throw new Error('a request has at least one choice')
  const usage = usageOf(request.promptTokens, choice.tokens, call)
  const early = isStream ? earlyUsage(usage, call.behaviour) : null
  const reported = reportedUsage(early ?? usage, call.behaviour)
  const shown = shownReasoning(usage, call.behaviour)
  const counts = reported === null ? {} : { usage: converseUsage(reported, call.body) }
  return {
    content: answerBlocks(choice, shown === 0 ? '' : writeLongText(shown)),
    stopReason: stopReasons[choice.finishReason],
    usage,
    metadata: { ...counts, metrics: { latencyMs: call.model.firstTokenMs } },
    isMetadataEarly: early !== null,
  }
}

/** The body with the settings of `inferenceConfig` as its members, so that limits do not change the answer. */
function decisiveBody({ inferenceConfig, ...body }: Fields): Fields {
  if (!isFields(inferenceConfig)) return body
  const { maxTokens: max_tokens, stopSequences: stop, ...settings } = inferenceConfig
  return { ...body, ...settings, max_tokens, stop }
}

/** A prompt with a cache point is written to the cache, except for its cached part. */
function converseUsage({ prompt, completion, cached }: TokenCounts, body: Fields) {
  const written = JSON.stringify(body).includes('"cachePoint":{') ? prompt - cached : 0
  return {
    inputTokens: prompt - cached - written,
    outputTokens: completion,
    totalTokens: prompt + completion,
    cacheReadInputTokens: cached,
    cacheWriteInputTokens: written,
  }
}
