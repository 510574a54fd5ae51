import { createChatCompletion } from '@ratchet/contracts/chat'
import { createCompletion } from '@ratchet/contracts/completions'
import { createEmbedding } from '@ratchet/contracts/embeddings'
import type { Endpoint } from '@ratchet/contracts/endpoint'
import { createImage } from '@ratchet/contracts/images'
import { createMessage } from '@ratchet/contracts/messages'
import { createModeration } from '@ratchet/contracts/moderations'
import { createRerank, createRerankV2 } from '@ratchet/contracts/rerank'
import { compactResponse, createResponse } from '@ratchet/contracts/responses'
import { createSpeech, createTranscription } from '@ratchet/contracts/sound'
import type { ServedRequest, ServedResponse } from '@ratchet/service-kit/http/served'
import { admitCaller } from '@ratchet/service-kit/identity/require-identity'
import type { Router } from 'express'
import { chatSurface } from '../surfaces/chat/chat-surface.ts'
import { embeddingsSurface } from '../surfaces/embeddings/embeddings-surface.ts'
import { imagesSurface } from '../surfaces/images/images-surface.ts'
import { messagesSurface } from '../surfaces/messages/messages-surface.ts'
import { moderationsSurface } from '../surfaces/moderations/moderations-surface.ts'
import { rerankSurface } from '../surfaces/rerank/rerank-surface.ts'
import { responsesSurface } from '../surfaces/responses/responses-surface.ts'
import { speechSurface } from '../surfaces/sound/speech-surface.ts'
import { transcriptionsSurface } from '../surfaces/sound/transcriptions-surface.ts'
import type { Surface } from '../surfaces/surface.ts'
import type { RequestHints } from '../wire/provider.ts'
import type { BodyType } from './read-body.ts'
import { compactionRewrite } from './rewrite-compaction.ts'
import { completionRewrite } from './rewrite-completion.ts'
import { speechRewrite } from './rewrite-speech.ts'
import { openTranscriptionRewrite } from './rewrite-transcription.ts'
import type { Rewrite } from './rewritten-exchange.ts'
import { type ServeDeps, serveSurface } from './serve-surface.ts'

interface Route {
  readonly endpoint: Endpoint
  readonly surface: Surface
  /** For an endpoint that is another one in an older or a narrower form. */
  readonly rewrite?: () => Rewrite
  /** Of its body; `application/json` when it is absent. */
  readonly mediaType?: BodyType
  readonly task?: RequestHints['task']
}

const routes: readonly Route[] = [
  { endpoint: createChatCompletion, surface: chatSurface },
  { endpoint: createResponse, surface: responsesSurface },
  { endpoint: createMessage, surface: messagesSurface },
  { endpoint: createEmbedding, surface: embeddingsSurface },
  { endpoint: createRerank, surface: rerankSurface },
  { endpoint: createRerankV2, surface: rerankSurface },
  { endpoint: createCompletion, surface: chatSurface, rewrite: () => completionRewrite },
  { endpoint: compactResponse, surface: responsesSurface, rewrite: () => compactionRewrite, task: 'compact' },
  { endpoint: createModeration, surface: moderationsSurface },
  { endpoint: createImage, surface: imagesSurface },
  { endpoint: createSpeech, surface: speechSurface, rewrite: () => speechRewrite },
  {
    endpoint: createTranscription,
    surface: transcriptionsSurface,
    rewrite: openTranscriptionRewrite,
    mediaType: 'multipart/form-data',
  },
]
const routesByPath: ReadonlyMap<string, Route> = new Map(routes.map((route) => [route.endpoint.path, route]))

/** Not mounted as typed endpoints, because a body must reach the provider as the bytes that the client sent. */
export function inferenceRoutes(router: Router, deps: ServeDeps): void {
  for (const route of routes) {
    router.post(route.endpoint.path, (request, response) => serve(deps, route, request, response))
  }
}

/**
 * Serves a request of a surface that did not pass Express; it has its id and its identity.
 *
 * @returns null when no surface has this method and path
 */
export function routeInference(
  deps: ServeDeps,
  request: ServedRequest,
  response: ServedResponse,
): Promise<void> | null {
  const { method, path } = request
  const route = method === 'POST' ? routesByPath.get(path) : undefined
  return route === undefined ? null : serve(deps, route, request, response)
}

async function serve(
  deps: ServeDeps,
  { endpoint, surface, rewrite, task, mediaType }: Route,
  httpRequest: ServedRequest,
  httpResponse: ServedResponse,
): Promise<void> {
  httpRequest.routeName = endpoint.path
  admitCaller(httpRequest, endpoint)
  // Anthropic's clients read the request id from this header.
  if (surface.dialect === 'messages') httpResponse.setHeader('request-id', httpRequest.id)
  return serveSurface(deps, surface, { httpRequest, httpResponse, rewrite: rewrite?.(), task, mediaType })
}
