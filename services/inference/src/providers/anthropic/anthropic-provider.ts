import type { CallClocks } from '@ratchet/http/upstream-call'
import { editTopLevel, type JsonEdits } from '@ratchet/service-kit/json/edit-json'
import type { Dispatcher } from 'undici'
import { readObject } from '../../wire/chat/read-reply.ts'
import type { Dialect } from '../../wire/dialect.ts'
import { apiVersion, usualVersion } from '../../wire/messages/api-version.ts'
import { readBetas } from '../../wire/messages/betas.ts'
import { readMessagesReply, readMessagesUsage } from '../../wire/messages/read-message.ts'
import type { Provider, ProviderRequest } from '../../wire/provider.ts'
import { Refusal, refuse } from '../../wire/refusal.ts'
import { fitChatBody } from '../fit-chat-body.ts'
import { type ProviderCall, startProviderCall } from '../provider-call.ts'
import { failureOfAnswer } from './anthropic-error.ts'
import { chatRules } from './chat-parameters.ts'
import { convertReply } from './convert-reply.ts'
import { convertRequest } from './convert-request.ts'
import { createStreamConverter } from './convert-stream.ts'
import { fitMessages } from './fit-messages.ts'
import { repairMessages } from './repair-messages.ts'

export interface AnthropicProviderOptions {
  readonly upstream: Dispatcher
  /** Path below the origin that `/messages` is appended to, such as `/v1`. */
  readonly basePath: string
  readonly apiKey: string
  readonly clocks: CallClocks
  readonly now: () => Date
}

/** The parts of a call that depend on the dialect. */
interface Translated extends Pick<ProviderCall, 'body' | 'converter' | 'readReply' | 'usageAt'> {
  /** Headers in addition to those of every call. */
  readonly more?: Readonly<Record<string, string>>
}

const usageAt = { member: 'usage', read: readMessagesUsage } as const

const dialects: ReadonlySet<Dialect> = new Set<Dialect>(['chat', 'messages'])

/** Anthropic's Messages API. Messages are passed through, chat completions are translated. */
export function anthropicProvider(options: AnthropicProviderOptions): Provider {
  const { upstream, basePath, apiKey, clocks, now } = options
  const headers = { 'x-api-key': apiKey, 'anthropic-version': usualVersion }
  return {
    dialects,
    start(request, listener) {
      const translated = translate(request, now)
      if (translated instanceof Refusal) return refuse(listener, translated)
      const streamType = request.stream ? 'text/event-stream' : null
      const { more, ...rest } = translated
      const call = {
        upstream,
        clocks,
        path: `${basePath}/messages`,
        headers: { ...headers, ...more },
        streamType,
        limits: request.limits,
      } as const
      return startProviderCall({ ...call, readFailure: failureOfAnswer, ...rest }, listener)
    },
  }
}

function translate(request: ProviderRequest, now: () => Date): Translated | Refusal {
  try {
    return request.dialect === 'messages' ? passOn(request) : translateChat(request, now)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/**
 * The bytes of the client with the provider's name of the model, without the fields that only the gateway reads, that
 * other models left in the conversation, or that have no price.
 *
 * @throws Refusal for a beta feature that is not allowed, or for a field without a price
 */
function passOn(request: ProviderRequest): Translated {
  const { model, hints, leniency } = request
  const isFast = model.serviceTiers.has('fast')
  const betas = readBetas(hints?.anthropicBeta, { contextWindow: model.contextWindow, isFast, leniency })
  const version = apiVersion(hints?.anthropicVersion, leniency)
  const priced = edited(request, fitMessages(request, { model, leniency }))
  const edits = { ...repairMessages(priced), model: JSON.stringify(model.upstreamModel), models: undefined }
  return {
    body: editTopLevel(priced.bytes, priced.scan, edits),
    converter: null,
    readReply: readMessagesReply,
    usageAt,
    more: { 'anthropic-version': version, ...(betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') }) },
  }
}

function edited(request: ProviderRequest, edits: JsonEdits): Pick<ProviderRequest, 'bytes' | 'scan' | 'body'> {
  if (Object.keys(edits).length === 0) return request
  const bytes = editTopLevel(request.bytes, request.scan, edits)
  const read = readObject(bytes)
  if (read === null) throw new Error('an edited request cannot be read')
  return { bytes, ...read }
}

function translateChat(request: ProviderRequest, now: () => Date): Translated {
  const { requestId, model, stream, leniency } = request
  const body = fitChatBody(request.body, chatRules, leniency)
  const created = Math.floor(now().getTime() / 1_000)
  const head = { id: `chatcmpl-${requestId}`, created, model: model.upstreamModel }
  return {
    body: Buffer.from(JSON.stringify(convertRequest({ model, body, stream }))),
    converter: stream ? createStreamConverter(head) : null,
    readReply: (bytes) => convertReply(bytes, head),
    usageAt,
  }
}
