import type { CallClocks } from '@ratchet/http/upstream-call'
import type { Dispatcher } from 'undici'
import { readChatReply } from '../../wire/chat/read-reply.ts'
import type { Dialect } from '../../wire/dialect.ts'
import { readEmbeddingsReply } from '../../wire/embeddings/read-embeddings-reply.ts'
import type { Provider, ProviderReply, ProviderRequest } from '../../wire/provider.ts'
import { readRerankReply } from '../../wire/rerank/read-rerank-reply.ts'
import { readResponsesReply } from '../../wire/responses/read-responses-reply.ts'
import { type ProviderCall, startProviderCall } from '../provider-call.ts'
import { convertRequest } from './convert-request.ts'
import { responsesFailure } from './responses-failure.ts'

export interface OpenAiProviderOptions {
  readonly upstream: Dispatcher
  /** Path below the origin that `/chat/completions` is appended to, such as `/v1`. */
  readonly basePath: string
  readonly apiKey: string
  readonly clocks: CallClocks
}

interface Route {
  readonly path: string
  readonly readReply: (bytes: Buffer, request: ProviderRequest) => ProviderReply | null
}

/** The routes of OpenAI's API, by dialect. */
const routes: ReadonlyMap<Dialect, Route> = new Map<Dialect, Route>([
  ['chat', { path: '/chat/completions', readReply: readChatReply }],
  ['responses', { path: '/responses', readReply: readResponsesReply }],
  ['embeddings', { path: '/embeddings', readReply: readEmbeddingsReply }],
  ['rerank', { path: '/rerank', readReply: readRerankReply }],
])

/** OpenAI and all providers with an OpenAI-compatible API. */
export function openAiProvider({ upstream, basePath, apiKey, clocks }: OpenAiProviderOptions): Provider {
  const authorization = `Bearer ${apiKey}`
  return {
    dialects: new Set(routes.keys()),
    start(request, listener) {
      const route = routes.get(request.dialect)
      if (route === undefined) throw new Error(`no route for ${request.dialect}`)
      return startProviderCall(
        {
          upstream,
          clocks,
          path: basePath + route.path,
          headers: { authorization, 'x-client-request-id': request.requestId },
          body: convertRequest(request),
          limits: request.limits,
          streamType: request.stream ? 'text/event-stream' : null,
          converter: null,
          readReply: (bytes) => route.readReply(bytes, request),
          ...(request.dialect === 'responses' ? { readFailure: failureReader(request) } : {}),
        },
        listener,
      )
    },
  }
}

function failureReader(request: ProviderRequest): NonNullable<ProviderCall['readFailure']> {
  return (status, headers, body) => responsesFailure(request, { status, headers, body })
}
