import type { CallClocks } from '@ratchet/http/upstream-call'
import type { Dispatcher } from 'undici'
import type { Dialect } from '../../wire/dialect.ts'
import type { Provider, ProviderRequest } from '../../wire/provider.ts'
import { Refusal, refuse } from '../../wire/refusal.ts'
import { fitChatBody } from '../fit-chat-body.ts'
import { fitEffort } from '../fit-effort.ts'
import { type ProviderCall, startProviderCall } from '../provider-call.ts'
import { chatRules } from './chat-parameters.ts'
import { convertEmbeddingsReply, convertEmbeddingsRequest } from './convert-embeddings.ts'
import { convertReply } from './convert-reply.ts'
import { convertRequest } from './convert-request.ts'
import { createStreamConverter } from './convert-stream.ts'
import { effortsOf } from './generation-config.ts'
import { failureOfAnswer } from './google-error.ts'
import { traitsOf } from './model-traits.ts'
import { readUsage } from './read-usage.ts'

export interface GoogleProviderOptions {
  readonly upstream: Dispatcher
  /** Path below the origin that `/models/…` is appended to, such as `/v1beta`. */
  readonly basePath: string
  readonly apiKey: string
  readonly clocks: CallClocks
  readonly now: () => Date
}

/** The parts of a call that depend on the dialect. */
type Translated = Pick<ProviderCall, 'body' | 'streamType' | 'converter' | 'readReply' | 'usageAt'> & {
  /** The method of the model and the query. */
  readonly method: string
}

const dialects: ReadonlySet<Dialect> = new Set<Dialect>(['chat', 'embeddings'])

/** The Gemini API: `generateContent` and related methods (ai.google.dev/api). */
export function googleProvider(options: GoogleProviderOptions): Provider {
  const { upstream, basePath, apiKey, clocks, now } = options
  return {
    dialects,
    start(request, listener) {
      const translated = translate(request, now)
      if (translated instanceof Refusal) return refuse(listener, translated)
      const { method, ...call } = translated
      const path = `${basePath}/models/${encodeURIComponent(request.model.upstreamModel)}:${method}`
      const headers = keyHeader(apiKey)
      const common = { upstream, clocks, path, headers, limits: request.limits, readFailure: failureOfAnswer }
      return startProviderCall({ ...common, ...call }, listener)
    },
  }
}

/** Vertex AI takes access tokens of Google Cloud as well as keys. Their beginning tells them apart. */
function keyHeader(apiKey: string): Readonly<Record<string, string>> {
  return apiKey.startsWith('ya29.') ? { authorization: `Bearer ${apiKey}` } : { 'x-goog-api-key': apiKey }
}

function translate(request: ProviderRequest, now: () => Date): Translated | Refusal {
  try {
    return request.dialect === 'embeddings' ? translateEmbeddings(request) : translateChat(request, now)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function translateChat(request: ProviderRequest, now: () => Date): Translated {
  const { requestId, model, stream, leniency } = request
  const fit = fitChatBody(request.body, chatRules, leniency)
  const body = fitEffort(fit, effortsOf(traitsOf(model.upstreamModel)), leniency)
  const created = Math.floor(now().getTime() / 1_000)
  const head = { id: `chatcmpl-${requestId}`, created, model: model.upstreamModel }
  return {
    method: stream ? 'streamGenerateContent?alt=sse' : 'generateContent',
    body: convertRequest(body, model.upstreamModel),
    streamType: stream ? 'text/event-stream' : null,
    converter: stream ? createStreamConverter(head) : null,
    readReply: (bytes) => convertReply(bytes, head),
    usageAt: { member: 'usageMetadata', read: readUsage },
  }
}

function translateEmbeddings({ model, body }: ProviderRequest): Translated {
  return {
    method: 'batchEmbedContents',
    body: convertEmbeddingsRequest(body, model.upstreamModel),
    streamType: null,
    converter: null,
    readReply: (bytes) => convertEmbeddingsReply(bytes, { body, model: model.upstreamModel }),
  }
}
