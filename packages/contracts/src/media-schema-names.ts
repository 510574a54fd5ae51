import { ImageReply, ImageRequest } from './images.ts'
import { ModerationReply, ModerationRequest } from './moderations.ts'
import { SpeechRequest, TranscriptionReply } from './sound.ts'

/** The named schemas of moderations, images and sound. */
export const mediaSchemas = {
  ImageReply,
  ImageRequest,
  ModerationReply,
  ModerationRequest,
  SpeechRequest,
  TranscriptionReply,
} as const
