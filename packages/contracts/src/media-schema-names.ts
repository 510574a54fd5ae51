import { GeminiReply, GeminiRequest } from './gemini.ts'
import { GeminiError } from './gemini-errors.ts'
import { ImageReply, ImageRequest } from './images.ts'
import { ModerationReply, ModerationRequest } from './moderations.ts'
import { SpeechRequest, TranscriptionReply } from './sound.ts'

/** The named schemas of Gemini, moderations, images and sound. */
export const mediaSchemas = {
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
