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
import { type PrepareResponseDeps, prepareResponse } from './prepare-response.ts'
import { type ServeDeps, type ServedSurface, serveSurface } from './serve-surface.ts'

/** Not mounted through the endpoint values: bodies are read, checked and passed on as bytes. */
export function inferenceRoutes(router: Router, deps: ServeDeps & PrepareResponseDeps): void {
  serve(router, deps, createChatCompletion, { surface: chatSurface })
  serve(router, deps, createResponse, {
    surface: responsesSurface,
    prepare: (received) => prepareResponse(deps, received),
  })
  serve(router, deps, createMessage, { surface: messagesSurface })
  serve(router, deps, createEmbedding, { surface: embeddingsSurface })
  serve(router, deps, createRerank, { surface: rerankSurface })
  serve(router, deps, createRerankV2, { surface: rerankSurface })
}

function serve(router: Router, deps: ServeDeps, { path }: Endpoint, served: ServedSurface): void {
  router.post(path, (request, response) => {
    request.routeName = path
    // Where Anthropic's clients look for it.
    if (served.surface.dialect === 'messages') response.setHeader('request-id', request.id)
    return serveSurface(deps, served, { request, response })
  })
}
