import { answerChat } from '../../answers/chat-answer.ts'
import type { ChatChoice } from '../../answers/chat-choice.ts'
import { writeLongText } from '../../answers/write-answer-text.ts'
import { type ChatRequest, readChatRequest } from '../chat-request.ts'
import { withinLimits } from '../model-limits.ts'
import type { Call, Reply } from '../reply.ts'
import type { TokenCounts } from '../token-counts.ts'
import { reportedUsage, shownReasoning, usageOf } from '../usage.ts'
import { failureOf, WireError } from '../wire-error.ts'
import { answerParts } from './answer-parts.ts'
import { geminiError } from './gemini-wire.ts'
import { readGenerateRequest } from './generate-request.ts'
import { generateFrames } from './generate-stream.ts'
import type { Generated } from './generated.ts'
import { checkSignatures, requiresSignatures } from './thought-signature.ts'
import { usageMetadata } from './usage-metadata.ts'

/** POST /v1beta/models/{model}:generateContent. */
export function answerGenerateContent(call: Call): Reply {
  const { generated, usage } = generate(call)
  const { parts, finishReason, reported, head } = generated
  const content = { parts: parts.map(({ part }) => part), role: 'model' }
  const body = JSON.stringify({
    candidates: [{ content, finishReason, index: 0 }],
    ...(reported === null ? {} : { usageMetadata: usageMetadata(reported, reported.completion - reported.reasoning) }),
    ...head,
  })
  return { kind: 'json', status: 200, body, tokens: usage.completion, usage }
}

/** POST /v1beta/models/{model}:streamGenerateContent?alt=sse. */
export function answerStreamGenerateContent(call: Call): Reply {
  const { generated, usage } = generate(call)
  const errorFrame = `data: ${geminiError(failureOf(500))}\r\n\r\n`
  return { kind: 'stream', frames: generateFrames(generated), errorFrame, usage }
}

function generate(call: Call): { generated: Generated; usage: TokenCounts } {
  const { chat, includeThoughts } = readGenerateRequest(call.body)
  if (requiresSignatures(call.model.id) && Array.isArray(call.body.contents)) checkSignatures(call.body.contents)
  const request = fitted(readChatRequest(chat), call)
  const choice = onlyChoice(answerChat({ ...call, body: chat }, request))
  const usage = usageOf(request.promptTokens, choice.tokens, call)
  const thoughts = includeThoughts && shownReasoning(usage, call.behaviour) > 0 ? writeLongText(usage.reasoning) : ''
  const generated: Generated = {
    parts: answerParts(choice, thoughts, call.name),
    finishReason: choice.finishReason === 'length' ? 'MAX_TOKENS' : 'STOP',
    reported: reportedUsage(usage, call.behaviour),
    reportsOnce: call.behaviour?.kind === 'early-usage',
    head: { modelVersion: call.model.id, responseId: call.name.slice(0, 24) },
  }
  return { generated, usage }
}

function fitted(request: ChatRequest, { model }: Call): ChatRequest {
  if (request.promptTokens <= model.contextWindow) return withinLimits(request, model)
  const counts = `(${request.promptTokens}) exceeds the maximum number of tokens allowed (${model.contextWindow})`
  throw new WireError(400, `The input token count ${counts}.`)
}

function onlyChoice([choice, ...others]: readonly ChatChoice[]): ChatChoice {
  if (choice === undefined) throw new Error('a request has at least one choice')
  if (others.length > 0) throw new WireError(400, 'Multiple candidates is not enabled for this model')
  return choice
}
