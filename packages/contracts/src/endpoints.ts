import { createChatCompletion } from './chat.ts'
import { createEmbedding } from './embeddings.ts'
import type { Endpoint } from './endpoint.ts'
import { createMessage } from './messages.ts'
import { getModel, listModels } from './models.ts'
import { createRerank, createRerankV2 } from './rerank.ts'
import { cancelResponse, createResponse, deleteResponse, getResponse, listInputItems } from './responses.ts'

/** Every public endpoint of the fleet. OpenAPI, the edge's permissions and the route tests start here. */
export const endpoints: readonly Endpoint[] = [
  createChatCompletion,
  createResponse,
  getResponse,
  deleteResponse,
  cancelResponse,
  listInputItems,
  createMessage,
  createEmbedding,
  createRerank,
  createRerankV2,
  listModels,
  getModel,
]
