import { createChatCompletion } from '@ratchet/contracts/chat'
import { createCompletion } from '@ratchet/contracts/completions'
import { createEmbedding } from '@ratchet/contracts/embeddings'
import type { Endpoint } from '@ratchet/contracts/endpoint'
import { createMessage } from '@ratchet/contracts/messages'
import { createRerank, createRerankV2 } from '@ratchet/contracts/rerank'
import { compactResponse, createResponse } from '@ratchet/contracts/responses'
import type { ServedRequest, ServedResponse } from '@ratchet/service-kit/http/served'
import { admitCaller } from '@ratchet/service-kit/identity/require-identity'
import type { Router } from 'express'
import { chatSurface } from '../surfaces/chat/chat-surface.ts'
import { embeddingsSurface } from '../surfaces/embeddings/embeddings-surface.ts'
import { messagesSurface } from '../surfaces/messages/messages-surface.ts'
import { rerankSurface } from '../surfaces/rerank/rerank-surface.ts'
import { responsesSurface } from '../surfaces/responses/responses-surface.ts'
import type { Surface } from '../surfaces/surface.ts'
import type { RequestHints } from '../wire/provider.ts'
import { compactionRewrite } from './rewrite-compaction.ts'
import { completionRewrite } from './rewrite-completion.ts'
import type { Rewrite } from './rewritten-exchange.ts'
import { type ServeDeps, serveSurface } from './serve-surface.ts'

interface Route {
  readonly endpoint: Endpoint
  readonly surface: Surface
  /** For an endpoint that is another one in an older or a narrower form. */
  readonly rewrite?: Rewrite
  readonly task?: RequestHints['task']
}

const routes: readonly Route[] = [
  { endpoint: createChatCompletion, surface: chatSurface },
  { endpoint: createResponse, surface: responsesSurface },
  { endpoint: createMessage, surface: messagesSurface },
  { endpoint: createEmbedding, surface: embeddingsSurface },
  { endpoint: createRerank, surface: rerankSurface },
  { endpoint: createRerankV2, surface: rerankSurface },
  { endpoint: createCompletion, surface: chatSurface, rewrite: completionRewrite },
  { endpoint: compactResponse, surface: responsesSurface, rewrite: compactionRewrite, task: 'compact' },
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
  { endpoint, surface, rewrite, task }: Route,
  httpRequest: ServedRequest,
  httpResponse: ServedResponse,
): Promise<void> {
  httpRequest.routeName = endpoint.path
  admitCaller(httpRequest, endpoint)
  // Anthropic's clients read the request id from this header.
  if (surface.dialect === 'messages') httpResponse.setHeader('request-id', httpRequest.id)
  return serveSurface(deps, surface, { httpRequest, httpResponse, rewrite, task })
}
