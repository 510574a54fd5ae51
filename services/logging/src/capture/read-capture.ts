import type { CapturedDialect, CapturedExchange, CapturedMeta } from '@ratchet/contracts/captured-exchange'
import { mayLoseDigits, parseExact } from '@ratchet/service-kit/values/exact-json'
import { asList, asObject, type Fields } from '@ratchet/service-kit/values/json'
import { clientMetadataIn } from '../exchanges/client-metadata.ts'
import type { RawExchange } from '../exchanges/raw-exchange.ts'
import { type CaptureContent, readCount, readName } from './capture-content.ts'
import { readMessagesCapture } from './read-messages-capture.ts'
import { readResponsesCapture } from './read-responses-capture.ts'

/** Parameters of a request that shape its answer, beside messages, tools and response format. */
const paramNames = [
  ...['temperature', 'top_p', 'top_k', 'min_p', 'max_tokens', 'max_completion_tokens', 'n', 'stop', 'seed'],
  ...['frequency_penalty', 'presence_penalty', 'repetition_penalty', 'logit_bias', 'logprobs', 'top_logprobs'],
  ...['tool_choice', 'parallel_tool_calls', 'functions', 'function_call', 'reasoning_effort', 'reasoning', 'verbosity'],
  ...['modalities', 'prediction'],
] as const

/**
 * Reads request and reply of a captured exchange, of any dialect, in the form of a chat completion.
 *
 * @param id id of the row that it becomes
 * @throws RangeError when the request is not one of its dialect, or the reply not the answer to one
 */
export function readCapture({ meta, request, reply }: CapturedExchange, id: string): RawExchange {
  const { keyId: _, dialect, createdAt, expiresAt, costNano, user, metadata, ...known } = meta
  const requested = readJson(request)
  const { content, ...facts } = readers[dialect](requested, readJson(reply))
  return {
    ...known,
    id,
    createdAt: new Date(createdAt),
    expiresAt: new Date(expiresAt),
    costNano: BigInt(costNano),
    source: 'gateway',
    spanId: null,
    parentSpanId: null,
    ...facts,
    content: { ...content, params: { ...content.params, ...clientMetadataParams(requested, { user, metadata }) } },
  }
}

/** Headers have precedence over members of the body. The Messages API has the user among its metadata. */
function clientMetadataParams(requested: Fields, named: Pick<CapturedMeta, 'user' | 'metadata'>): Fields {
  const { user_id: userId, ...noted } = asObject(requested.metadata) ?? {}
  const { user, metadata } = clientMetadataIn({
    user: named.user ?? requested.user ?? userId,
    metadata: { ...named.metadata, ...noted, ...named.metadata },
  })
  return { ...(user === null ? {} : { user }), ...(Object.keys(metadata).length === 0 ? {} : { metadata }) }
}

const readers: Readonly<Record<CapturedDialect, (requested: Fields, replied: Fields) => CaptureContent>> = {
  chat: readChatCapture,
  messages: readMessagesCapture,
  responses: readResponsesCapture,
}

/** When the reply has several choices, the first one is logged. */
function readChatCapture(requested: Fields, replied: Fields): CaptureContent {
  const { messages } = requested
  const choice = asObject(asList(replied.choices)[0])
  const response = asObject(choice?.message)
  if (!Array.isArray(messages) || response === null) throw new RangeError('not a chat completion')
  return {
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

/** Members whose numbers are only written again, such as ids in the arguments of tools. Others are read as numbers. */
const contentMembers = ['messages', 'system', 'input', 'instructions', 'tools', 'choices', 'content', 'output'] as const

function readJson(bytes: Buffer): Fields {
  try {
    const text = bytes.toString()
    const read = asObject(JSON.parse(text)) ?? {}
    if (!mayLoseDigits(text)) return read
    const exact = parseExact(text) as Fields
    const held = contentMembers.filter((name) => Object.hasOwn(read, name))
    return { ...read, ...Object.fromEntries(held.map((name) => [name, exact[name]])) }
  } catch (cause) {
    throw new RangeError('not JSON', { cause })
  }
}
