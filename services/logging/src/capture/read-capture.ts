import type { CapturedExchange } from '@ratchet/contracts/captured-exchange'
import { asList, asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { RawExchange } from '../exchanges/raw-exchange.ts'

/** Parameters of a request that shape its answer, beside messages, tools and response format. */
const paramNames = [
  ...['temperature', 'top_p', 'top_k', 'min_p', 'max_tokens', 'max_completion_tokens', 'n', 'stop', 'seed'],
  ...['frequency_penalty', 'presence_penalty', 'repetition_penalty', 'logit_bias', 'logprobs', 'top_logprobs'],
  ...['tool_choice', 'parallel_tool_calls', 'functions', 'function_call', 'reasoning_effort', 'reasoning', 'verbosity'],
  ...['modalities', 'prediction'],
] as const

const maxNameLength = 64
/** The largest value of a Postgres `integer` column. */
const maxCount = 2_147_483_647

/**
 * Reads request and reply of a captured exchange. When the reply has several choices, the first one is logged.
 *
 * @param id id of the row that it becomes
 * @throws RangeError when the request is not a chat request, or the reply not a chat completion
 */
export function readCapture({ meta, request, reply }: CapturedExchange, id: string): RawExchange {
  const requested = readJson(request)
  const replied = readJson(reply)
  const { messages } = requested
  const choice = asObject(asList(replied.choices)[0])
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
    ...readTokens(asObject(replied.usage)),
    content: {
      messages,
      response,
      tools: requested.tools ?? null,
      responseFormat: requested.response_format ?? null,
      params: readParams(requested),
    },
  }
}

function readParams(requested: Fields): Fields {
  const set = paramNames.filter((name) => requested[name] !== undefined && requested[name] !== null)
  return Object.fromEntries(set.map((name) => [name, requested[name]]))
}

function readTokens(usage: Fields | null) {
  return {
    promptTokens: readCount(usage?.prompt_tokens) ?? 0,
    completionTokens: readCount(usage?.completion_tokens) ?? 0,
    reasoningTokens: readCount(asObject(usage?.completion_tokens_details)?.reasoning_tokens),
  }
}

function readCount(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 ? Math.min(Math.round(value), maxCount) : null
}

/** Removes NUL, which Postgres refuses in texts. */
function readName(value: unknown): string | null {
  return typeof value === 'string' ? value.replaceAll('\0', '').slice(0, maxNameLength) : null
}

function readJson(bytes: Buffer): Fields {
  try {
    return asObject(JSON.parse(bytes.toString())) ?? {}
  } catch (cause) {
    throw new RangeError('not JSON', { cause })
  }
}
