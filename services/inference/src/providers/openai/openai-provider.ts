import type { CallClocks } from '@ratchet/http/upstream-call'
import type { JsonEdits } from '@ratchet/service-kit/json/edit-json'
import { parseJson } from '@ratchet/service-kit/values/json'
import type { Dispatcher } from 'undici'
import type { ProviderQuirks } from '../../catalog/provider-quirks.ts'
import { readChatReply } from '../../wire/chat/read-reply.ts'
import type { Body, Dialect } from '../../wire/dialect.ts'
import { readEmbeddingsReply } from '../../wire/embeddings/read-embeddings-reply.ts'
import { readImagesReply } from '../../wire/images/read-images-reply.ts'
import { readModerationsReply } from '../../wire/moderations/read-moderations-reply.ts'
import type { Provider, ProviderFailure, ProviderReply, ProviderRequest } from '../../wire/provider.ts'
import { Refusal, refuse } from '../../wire/refusal.ts'
import { readRerankReply } from '../../wire/rerank/read-rerank-reply.ts'
import { readResponsesReply } from '../../wire/responses/read-responses-reply.ts'
import { readSpeechReply, readTranscriptionReply } from '../../wire/sound/read-sound-replies.ts'
import { writeSoundForm } from '../../wire/sound/sound-form.ts'
import { type ProviderCall, startProviderCall } from '../provider-call.ts'
import { compactsItself, convertRequest } from './convert-request.ts'
import { responsesFailure } from './responses-failure.ts'

export interface OpenAiProviderOptions {
  readonly upstream: Dispatcher
  /** Path below the origin that `/chat/completions` is appended to, such as `/v1`. */
  readonly basePath: string
  /** Empty for a provider that needs none. */
  readonly apiKey: string
  readonly clocks: CallClocks
  readonly quirks?: ProviderQuirks | undefined
  /** Members that every body gets, whatever the client sends. */
  readonly members?: JsonEdits | undefined
}

interface Route {
  readonly path: string
  readonly readReply: (bytes: Buffer, request: ProviderRequest) => ProviderReply | ProviderFailure | null
}

const chatPath = '/chat/completions'

/** The routes of OpenAI's API, by dialect. */
const routes: ReadonlyMap<Dialect, Route> = new Map<Dialect, Route>([
  ['chat', { path: chatPath, readReply: readChatReply }],
  ['responses', { path: '/responses', readReply: readResponsesReply }],
  ['embeddings', { path: '/embeddings', readReply: readEmbeddingsReply }],
  ['rerank', { path: '/rerank', readReply: readRerankReply }],
  ['moderations', { path: '/moderations', readReply: readModerationsReply }],
  ['images', { path: '/images/generations', readReply: readImagesReply }],
  ['speech', { path: '/audio/speech', readReply: readSpeechReply }],
  ['transcriptions', { path: '/audio/transcriptions', readReply: readTranscriptionReply }],
])

/** OpenAI and all providers with an OpenAI-compatible API. */
export function openAiProvider(options: OpenAiProviderOptions): Provider {
  const { upstream, basePath, apiKey, clocks, quirks, members } = options
  const key = keyHeader(apiKey, quirks?.apiKeyHeader)
  const pathOf = ({ path }: Route) =>
    path === chatPath && quirks?.chat !== undefined ? besideBase(basePath, quirks.chat) : basePath + path
  return {
    dialects: new Set(routes.keys()),
    start(request, listener) {
      const route = routes.get(request.dialect)
      if (route === undefined) throw new Error(`no route for ${request.dialect}`)
      const json = converted(request, members)
      if (json instanceof Refusal) return refuse(listener, json)
      const { body, headers } = asSent(request.dialect, json)
      return startProviderCall(
        {
          upstream,
          clocks,
          path: pathOf(route) + (compactsItself(request) ? '/compact' : ''),
          headers: { ...key, ...headers, 'x-client-request-id': request.requestId },
          body,
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

interface Sent {
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
}

/** A sound is sent in a form, and is no JSON when it is the answer. */
function asSent(dialect: Dialect, body: Buffer): Sent {
  if (dialect === 'speech') return { body, headers: { accept: '*/*' } }
  if (dialect !== 'transcriptions') return { body, headers: {} }
  const form = writeSoundForm(parseJson(body.toString()) as Body)
  return { body: form.bytes, headers: { 'content-type': form.contentType } }
}

/** Another address may have a path before that of the catalog, such as that of a proxy for several providers. */
function besideBase(basePath: string, { path, basePath: known }: NonNullable<ProviderQuirks['chat']>): string {
  return (basePath.endsWith(known) ? basePath.slice(0, basePath.length - known.length) : basePath) + path
}

function keyHeader(apiKey: string, name: ProviderQuirks['apiKeyHeader']): Readonly<Record<string, string>> {
  if (apiKey === '') return {}
  return name === undefined ? { authorization: `Bearer ${apiKey}` } : { [name]: apiKey }
}

function converted(request: ProviderRequest, members: JsonEdits | undefined): Buffer | Refusal {
  try {
    return convertRequest(request, members)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function failureReader(request: ProviderRequest): NonNullable<ProviderCall['readFailure']> {
  return (status, headers, body) => responsesFailure(request, { status, headers, body })
}
