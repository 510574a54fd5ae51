import type { ChatChoice } from '../answers/chat-choice.ts'
import { tokensOf } from '../answers/tokenize.ts'
import { logprobsOf } from './logprobs.ts'
import { isObfuscated, obfuscationOf } from './obfuscation.ts'
import { type Call, createdAt, type Frame, systemFingerprint } from './reply.ts'
import type { TokenCounts } from './token-counts.ts'
import { chatUsage, servedTier } from './usage.ts'

/**
 * The events of a streamed chat completion, in OpenAI's order: the role of each choice, one token per delta with
 * alternating choices, the finish reasons, the usage if requested, `[DONE]`.
 */
export function* chatFrames(options: {
  call: Call
  choices: readonly ChatChoice[]
  /** Null when the stream has no usage; its chunks then have no `usage` member either. */
  usage: TokenCounts | null
  /** Sent before the first token in place of `usage`; null for none. */
  early: TokenCounts | null
  topLogprobs: number | null
  /** `moderation` for a chunk after the answer, or nothing. */
  moderation: object
}): Generator<Frame> {
  const { call, choices, usage, early, topLogprobs, moderation } = options
  const padded = isObfuscated(call.body)
  const head = `data: ${JSON.stringify(headOf(call)).slice(0, -1)},"choices":[`
  const tail = `${usage === null ? '' : ',"usage":null'}}\n\n`
  const chunk = (index: number, rest: string, padding = ''): string =>
    `${head}{"index":${index},"delta":${rest}}]${padding}${tail}`
  const paddingOf = (rest: string) => (padded ? `,"obfuscation":"${obfuscationOf(rest)}"` : '')
  for (const [index, choice] of choices.entries()) {
    const opening = choice.toolCalls.length > 0 ? roleWithCalls : roleWithText
    yield { data: chunk(index, `${opening},"logprobs":null,"finish_reason":null`), tokens: 0 }
  }
  const usageChunk = (counts: TokenCounts): Frame => ({
    data: `${head}],"usage":${JSON.stringify(chatUsage(counts))}}\n\n`,
    tokens: 0,
  })
  if (early !== null) yield usageChunk(early)
  for (const [index, rest] of inTurns(choices.map((choice) => deltasOf(choice, topLogprobs)))) {
    yield { data: chunk(index, rest, paddingOf(rest)), tokens: 1 }
  }
  for (const [index, choice] of choices.entries()) {
    yield { data: chunk(index, `{},"logprobs":null,"finish_reason":"${choice.finishReason}"`), tokens: 0 }
  }
  if (Object.keys(moderation).length > 0)
    yield { data: `${head}],${JSON.stringify(moderation).slice(1, -1)}}\n\n`, tokens: 0 }
  if (usage !== null && early === null) yield usageChunk(usage)
  yield { data: 'data: [DONE]\n\n', tokens: 0 }
}

const roleWithText = '{"role":"assistant","content":"","refusal":null}'
const roleWithCalls = '{"role":"assistant","content":null,"refusal":null}'

function headOf(call: Call) {
  return {
    id: `chatcmpl-${call.name.slice(0, 24)}`,
    object: 'chat.completion.chunk',
    created: createdAt(call.name),
    model: call.model.id,
    service_tier: servedTier(call.body),
    system_fingerprint: systemFingerprint,
  }
}

/** Each delta as JSON text from its value on, up to the end of its choice. */
function* deltasOf(choice: ChatChoice, topLogprobs: number | null): Generator<string> {
  for (const token of tokensOf(choice.content ?? '')) {
    const logprobs = topLogprobs === null ? 'null' : JSON.stringify(logprobsOf(token, topLogprobs))
    yield `{"content":${JSON.stringify(token)}},"logprobs":${logprobs},"finish_reason":null`
  }
  for (const [index, call] of choice.toolCalls.entries()) {
    yield toolDelta({ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } })
    for (const token of tokensOf(call.arguments)) yield toolDelta({ index, function: { arguments: token } })
  }
}

function toolDelta(call: object): string {
  return `{"tool_calls":[${JSON.stringify(call)}]},"logprobs":null,"finish_reason":null`
}

function* inTurns(sources: Generator<string>[]): Generator<[index: number, item: string]> {
  let running = sources.length
  while (running > 0) {
    running = 0
    for (const [index, source] of sources.entries()) {
      const step = source.next()
      if (step.done === true) continue
      running += 1
      yield [index, step.value]
    }
  }
}
