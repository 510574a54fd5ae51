import { answerChat } from '../answers/chat-answer.ts'
import type { ChatChoice } from '../answers/chat-choice.ts'
import { readChatRequest } from './chat-request.ts'
import { chatFrames } from './chat-stream.ts'
import { logprobsOf } from './logprobs.ts'
import { withinLimits } from './model-limits.ts'
import { moderationOf } from './moderation.ts'
import { type Call, createdAt, type Reply, systemFingerprint } from './reply.ts'
import { chatUsage, earlyUsage, reportedUsage, servedTier, usageOf } from './usage.ts'
import { errorEnvelope, failureOf } from './wire-error.ts'

/** POST /v1/chat/completions. */
export function answerChatCompletion(call: Call): Reply {
  const request = withinLimits(readChatRequest(call.body), call.model)
  const choices = answerChat(call, request)
  const tokens = choices.reduce((sum, choice) => sum + choice.tokens, 0)
  const usage = usageOf(request.promptTokens, tokens, call)
  const reported = reportedUsage(usage, call.behaviour)
  if (request.stream) {
    const shown = request.includeUsage ? reported : null
    const early = shown === null ? null : earlyUsage(usage, call.behaviour)
    const { topLogprobs } = request
    const frames = chatFrames({ call, choices, usage: shown, early, topLogprobs, moderation: moderationOf(call.body) })
    return { kind: 'stream', frames, errorFrame: `data: ${errorEnvelope(failureOf(500))}\n\n`, usage }
  }
  const body = JSON.stringify({
    id: `chatcmpl-${call.name.slice(0, 24)}`,
    object: 'chat.completion',
    created: createdAt(call.name),
    model: call.model.id,
    choices: choices.map((choice, index) => wholeChoice(choice, index, request.topLogprobs)),
    ...(reported === null ? {} : { usage: chatUsage(reported) }),
    ...moderationOf(call.body),
    service_tier: servedTier(call.body),
    system_fingerprint: systemFingerprint,
  })
  return { kind: 'json', status: 200, body, tokens, usage }
}

function wholeChoice(choice: ChatChoice, index: number, topLogprobs: number | null) {
  const calls = choice.toolCalls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }))
  const withProbabilities = topLogprobs !== null && choice.content !== null
  return {
    index,
    message: {
      role: 'assistant',
      content: choice.content,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
      refusal: null,
      annotations: [],
    },
    logprobs: withProbabilities ? logprobsOf(choice.content ?? '', topLogprobs) : null,
    finish_reason: choice.finishReason,
  }
}
