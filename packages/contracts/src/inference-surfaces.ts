import { createChatCompletion } from './chat.ts'
import { createCompletion } from './completions.ts'
import { createEmbedding } from './embeddings.ts'
import type { Endpoint } from './endpoint.ts'
import { createImage } from './images.ts'
import { createMessage } from './messages.ts'
import { createModeration } from './moderations.ts'
import { createRerank, createRerankV2 } from './rerank.ts'
import { compactResponse, createResponse } from './responses.ts'
import { createSpeech, createTranscription } from './sound.ts'

/** The endpoints that call a model: nearly all traffic. The edge sends them to inference in frames where it can. */
export const inferenceSurfaces: readonly Endpoint[] = [
  createChatCompletion,
  createResponse,
  createMessage,
  createEmbedding,
  createRerank,
  createRerankV2,
  createCompletion,
  compactResponse,
  createModeration,
  createImage,
  createSpeech,
  createTranscription,
]
