import { z } from 'zod'
import {
  fallbackModels,
  inferenceAnswerHeaders,
  inferenceErrors,
  inferenceRequestHeaders,
  maxInferenceBodyBytes,
  modelName,
} from './calls-model.ts'
import { endpoint } from './endpoint.ts'
import { uploadedFile } from './files.ts'

/** The formats of spoken text, with the media types of an answer. */
export const soundTypes = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
} as const
export type SoundFormat = keyof typeof soundTypes

/** The fields of a speech request that the gateway reads. Inference checks the body by hand; this value documents it. */
export const SpeechRequest = z.looseObject({
  model: modelName.nullish().describe('A catalog id such as `openai/tts-1`.'),
  models: fallbackModels,
  input: z.string().min(1).max(16_384).describe('The text. Its characters are what is paid.'),
  voice: z.union([z.string().min(1), z.looseObject({})]),
  response_format: z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']).nullish(),
  stream_format: z.literal('audio').nullish(),
})

const common = {
  method: 'post',
  service: 'inference',
  permission: 'any',
  maxBodyBytes: maxInferenceBodyBytes,
  answerHeaders: inferenceAnswerHeaders,
  requestHeaders: inferenceRequestHeaders,
  errors: inferenceErrors,
} as const

export const createSpeech = endpoint({
  ...common,
  path: '/v1/audio/speech',
  summary: 'Speak a text.',
  description:
    'The Speech API of OpenAI. The answer is the sound in the requested format; its cost is in a header. The answer is sent in one piece, so `stream_format: "sse"` is refused. Never logged.',
  maxGzippedBytes: maxInferenceBodyBytes,
  body: SpeechRequest,
  reply: z.string(),
  // The answer has the type of its format. Generators of clients know no types of sounds.
  downloads: ['application/octet-stream'],
})

export const transcriptFormats = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const
export type TranscriptFormat = (typeof transcriptFormats)[number]

/** The fields of a form with a sound that the gateway reads; others are passed on. */
const TranscriptionForm = z.looseObject({
  file: uploadedFile,
  model: modelName.describe('A catalog id such as `openai/whisper-1`.'),
  response_format: z.enum(transcriptFormats).optional().describe('`json` when it is not given.'),
  language: z.string().optional(),
  prompt: z.string().optional(),
  temperature: z.string().optional(),
})

export const TranscriptionReply = z.looseObject({
  text: z.string(),
  usage: z.looseObject({
    type: z.literal('duration'),
    seconds: z.int().describe('Seconds of sound that are paid, rounded up.'),
    cost_usd: z.number().describe('Charge for this exchange, USD.'),
  }),
})

export const createTranscription = endpoint({
  ...common,
  path: '/v1/audio/transcriptions',
  summary: 'Transcribe a sound.',
  description:
    'The Transcriptions API of OpenAI. The form takes any other field of it, and has a file of at most 10 MiB in all. With `response_format` `text`, `srt` or `vtt` the answer is `text/plain`, and its cost is in a header. The cost is that of the seconds of the sound. The hold covers the longest sound that a file of its size can be, or the exact length of a WAV file. `stream` is refused. Never logged.',
  bodyTypes: ['multipart/form-data'],
  body: TranscriptionForm,
  reply: TranscriptionReply,
})
