import { createChatCompletion } from '@ratchet/contracts/chat'
import { createEmbedding } from '@ratchet/contracts/embeddings'
import type { Endpoint } from '@ratchet/contracts/endpoint'
import { createMessage } from '@ratchet/contracts/messages'
import { createRerank, createRerankV2 } from '@ratchet/contracts/rerank'
import { createResponse } from '@ratchet/contracts/responses'
import type { Router } from 'express'
import { chatSurface } from '../surfaces/chat/chat-surface.ts'
import { embeddingsSurface } from '../surfaces/embeddings/embeddings-surface.ts'
import { messagesSurface } from '../surfaces/messages/messages-surface.ts'
import { rerankSurface } from '../surfaces/rerank/rerank-surface.ts'
import { responsesSurface } from '../surfaces/responses/responses-surface.ts'
import type { Surface } from '../surfaces/surface.ts'
import { type ServeDeps, serveSurface } from './serve-surface.ts'

/** Not mounted as typed endpoints, because a body must reach the provider as the bytes that the client sent. */
export function inferenceRoutes(router: Router, deps: ServeDeps): void {
  serve(router, deps, createChatCompletion, chatSurface)
  serve(router, deps, createResponse, responsesSurface)
  serve(router, deps, createMessage, messagesSurface)
  serve(router, deps, createEmbedding, embeddingsSurface)
  serve(router, deps, createRerank, rerankSurface)
  serve(router, deps, createRerankV2, rerankSurface)
}

function serve(router: Router, deps: ServeDeps, { path }: Endpoint, surface: Surface): void {
  router.post(path, (request, response) => {
    request.routeName = path
    // Anthropic's clients read the request id from this header.
    if (surface.dialect === 'messages') response.setHeader('request-id', request.id)
    return serveSurface(deps, surface, { httpRequest: request, httpResponse: response })
  })
}
