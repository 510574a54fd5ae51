import type { CallClocks } from '@ratchet/http/upstream-call'
import type { Dispatcher } from 'undici'
import type { Dialect } from '../../wire/dialect.ts'
import { editTopLevel } from '../../wire/json/edit-json.ts'
import { readBetas } from '../../wire/messages/betas.ts'
import { readMessagesReply } from '../../wire/messages/read-message.ts'
import type { Provider, ProviderRequest } from '../../wire/provider.ts'
import { Refusal, refuse } from '../../wire/refusal.ts'
import { type ProviderCall, startProviderCall } from '../provider-call.ts'
import { failureOfAnswer } from './anthropic-error.ts'
import { convertReply } from './convert-reply.ts'
import { convertRequest } from './convert-request.ts'
import { createStreamConverter } from './convert-stream.ts'
import { messagesRefusal } from './messages-refusal.ts'
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
interface Translated extends Pick<ProviderCall, 'body' | 'converter' | 'readReply'> {
  /** Headers in addition to those of every call. */
  readonly more?: Readonly<Record<string, string>>
}

/** Accepts all that 2026-10-21 does, and also the sampling parameters of earlier models. */
const version = '2023-06-01'

const dialects: ReadonlySet<Dialect> = new Set<Dialect>(['chat', 'messages'])

/** Anthropic's Messages API. Messages are passed through, chat completions are translated. */
export function anthropicProvider(options: AnthropicProviderOptions): Provider {
  const { upstream, basePath, apiKey, clocks, now } = options
  const headers = { 'x-api-key': apiKey, 'anthropic-version': version }
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
 * The bytes of the client with the provider's name of the model, without the fields that only the gateway reads or that
 * other models left in the conversation.
 *
 * @throws Refusal for a beta feature that is not allowed
 */
function passOn(request: ProviderRequest): Translated | Refusal {
  const { bytes, scan, body, model, hints } = request
  const betas = readBetas(hints?.anthropicBeta)
  const refusal = messagesRefusal(body)
  if (refusal !== null) return refusal
  const edits = { ...repairMessages(request), model: JSON.stringify(model.upstreamModel), models: undefined }
  return {
    body: editTopLevel(bytes, scan, edits),
    converter: null,
    readReply: readMessagesReply,
    ...(betas.length === 0 ? {} : { more: { 'anthropic-beta': betas.join(',') } }),
  }
}

function translateChat(request: ProviderRequest, now: () => Date): Translated {
  const { requestId, model, stream } = request
  const created = Math.floor(now().getTime() / 1_000)
  const head = { id: `chatcmpl-${requestId}`, created, model: model.upstreamModel }
  return {
    body: Buffer.from(JSON.stringify(convertRequest(request))),
    converter: stream ? createStreamConverter(head) : null,
    readReply: (bytes) => convertReply(bytes, head),
  }
}
