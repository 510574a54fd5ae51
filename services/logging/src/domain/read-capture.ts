import type { CapturedExchange } from '@ratchet/contracts/captured-exchange'
import type { RawExchange } from './raw-exchange.ts'

type Fields = Readonly<Record<string, unknown>>

/** What a request may say of how its answer is to be made, beside messages, tools and format. */
const paramNames = [
  ...['temperature', 'top_p', 'top_k', 'min_p', 'max_tokens', 'max_completion_tokens', 'n', 'stop', 'seed'],
  ...['frequency_penalty', 'presence_penalty', 'repetition_penalty', 'logit_bias', 'logprobs', 'top_logprobs'],
  ...['tool_choice', 'parallel_tool_calls', 'functions', 'function_call', 'reasoning_effort', 'reasoning', 'verbosity'],
  ...['modalities', 'prediction'],
] as const

const longestName = 64
const largestCount = 2_147_483_647

/**
 * Reads both sides of a captured exchange. Of several answers the first one counts.
 *
 * @param id of the row that it becomes
 * @throws RangeError when the request is no chat request, or the reply no chat completion
 */
export function readCapture({ meta, request, reply }: CapturedExchange, id: string): RawExchange {
  const asked = readJson(request)
  const answered = readJson(reply)
  const { messages } = asked
  const choice = asObject(asArray(answered.choices)[0])
  const response = asObject(choice?.message)
  if (!Array.isArray(messages) || response === null) throw new RangeError('not a chat completion')
  const { keyId: _, createdAt, expiresAt, costNano, ...known } = meta
  return {
    ...known,
    id,
    createdAt: new Date(createdAt),
    expiresAt: new Date(expiresAt),
    costNano: BigInt(costNano),
    source: 'gateway',
    spanId: null,
    parentSpanId: null,
    conversationId: null,
    finishReason: readName(choice?.finish_reason),
    ...readTokens(asObject(answered.usage)),
    content: {
      messages,
      response,
      tools: asked.tools ?? null,
      responseFormat: asked.response_format ?? null,
      params: readParams(asked),
    },
  }
}

function readParams(asked: Fields): Fields {
  const set = paramNames.filter((name) => asked[name] !== undefined && asked[name] !== null)
  return Object.fromEntries(set.map((name) => [name, asked[name]]))
}

function readTokens(usage: Fields | null) {
  return {
    promptTokens: readCount(usage?.prompt_tokens) ?? 0,
    completionTokens: readCount(usage?.completion_tokens) ?? 0,
    reasoningTokens: readCount(asObject(usage?.completion_tokens_details)?.reasoning_tokens),
  }
}

function readCount(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 ? Math.min(Math.round(value), largestCount) : null
}

/** A provider's word, of which a database takes everything but NUL. */
function readName(value: unknown): string | null {
  return typeof value === 'string' ? value.replaceAll('\0', '').slice(0, longestName) : null
}

function readJson(bytes: Buffer): Fields {
  try {
    return asObject(JSON.parse(bytes.toString())) ?? {}
  } catch (cause) {
    throw new RangeError('not JSON', { cause })
  }
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function asObject(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}
