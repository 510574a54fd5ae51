import { createChatCompletion } from '@ratchet/contracts/chat'
import { createEmbedding } from '@ratchet/contracts/embeddings'
import { createMessage } from '@ratchet/contracts/messages'
import { createRerank, createRerankV2 } from '@ratchet/contracts/rerank'
import { createResponse } from '@ratchet/contracts/responses'
import type { ServedRequest, ServedResponse } from '@ratchet/service-kit/http/served'
import type { Router } from 'express'
import { chatSurface } from '../surfaces/chat/chat-surface.ts'
import { embeddingsSurface } from '../surfaces/embeddings/embeddings-surface.ts'
import { messagesSurface } from '../surfaces/messages/messages-surface.ts'
import { rerankSurface } from '../surfaces/rerank/rerank-surface.ts'
import { responsesSurface } from '../surfaces/responses/responses-surface.ts'
import type { Surface } from '../surfaces/surface.ts'
import { type ServeDeps, serveSurface } from './serve-surface.ts'

/** The surfaces by the path that they are posted to. */
const surfaces: ReadonlyMap<string, Surface> = new Map([
  [createChatCompletion.path, chatSurface],
  [createResponse.path, responsesSurface],
  [createMessage.path, messagesSurface],
  [createEmbedding.path, embeddingsSurface],
  [createRerank.path, rerankSurface],
  [createRerankV2.path, rerankSurface],
])

/** Not mounted as typed endpoints, because a body must reach the provider as the bytes that the client sent. */
export function inferenceRoutes(router: Router, deps: ServeDeps): void {
  for (const [path, surface] of surfaces) {
    router.post(path, (request, response) => serve(deps, { path, surface }, request, response))
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
  const surface = method === 'POST' ? surfaces.get(path) : undefined
  return surface === undefined ? null : serve(deps, { path, surface }, request, response)
}

interface Route {
  readonly path: string
  readonly surface: Surface
}

function serve(
  deps: ServeDeps,
  { path, surface }: Route,
  httpRequest: ServedRequest,
  httpResponse: ServedResponse,
): Promise<void> {
  httpRequest.routeName = path
  // Anthropic's clients read the request id from this header.
  if (surface.dialect === 'messages') httpResponse.setHeader('request-id', httpRequest.id)
  return serveSurface(deps, surface, { httpRequest, httpResponse })
}
