import { Batch, BatchEndpoint, BatchError, BatchStatus, CreateBatch } from './batches.ts'
import { GeminiReply, GeminiRequest } from './gemini.ts'
import { GeminiError } from './gemini-errors.ts'
import { ImageReply, ImageRequest } from './images.ts'
import { ModerationReply, ModerationRequest } from './moderations.ts'
import { SpeechRequest, TranscriptionReply } from './sound.ts'

/** The named schemas of batches, Gemini, moderations, images and sound. */
export const mediaSchemas = {
  Batch,
  BatchEndpoint,
  BatchError,
  BatchStatus,
  CreateBatch,
  GeminiError,
  GeminiReply,
  GeminiRequest,
  ImageReply,
  ImageRequest,
  ModerationReply,
  ModerationRequest,
  SpeechRequest,
  TranscriptionReply,
} as const
