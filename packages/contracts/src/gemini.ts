import { z } from 'zod'
import {
  conversationAnswerHeaders,
  inferenceErrors,
  inferenceRequestHeaders,
  maxInferenceBodyBytes,
} from './calls-model.ts'
import { endpoint } from './endpoint.ts'

const Content = z.looseObject({ role: z.string().optional(), parts: z.array(z.looseObject({})).optional() })

/** The fields of Gemini's requests that the gateway reads. Inference checks the body by hand; this value documents it. */
export const GeminiRequest = z.looseObject({
  contents: z.array(Content).min(1).optional(),
  systemInstruction: z.looseObject({}).nullish(),
  generationConfig: z.looseObject({}).nullish(),
  tools: z.array(z.looseObject({})).nullish(),
  toolConfig: z.looseObject({}).nullish(),
})

export const GeminiReply = z.looseObject({
  candidates: z.array(z.looseObject({ content: Content, index: z.int() })).optional(),
  usageMetadata: z
    .looseObject({
      promptTokenCount: z.int(),
      candidatesTokenCount: z.int(),
      totalTokenCount: z.int(),
      costUsd: z.number().describe('Charge for this exchange, USD.'),
    })
    .optional(),
  modelVersion: z.string().optional(),
  responseId: z.string().optional(),
  totalTokens: z.int().optional().describe('Of `countTokens`.'),
})

/** The methods of a model, after the colon of the path. */
export const geminiMethods = ['generateContent', 'streamGenerateContent', 'countTokens'] as const
export type GeminiMethod = (typeof geminiMethods)[number]

export const callGemini = endpoint({
  method: 'post',
  path: '/v1beta/models/*call',
  summary: 'Generate content, for clients of Gemini.',
  description:
    "Gemini's API, for every chat model of the catalog: `call` is the name of a model or an alias, a colon, and `generateContent`, `streamGenerateContent` (with `?alt=sse`) or `countTokens`, which is free. The API key may be sent as `x-goog-api-key`, like Google's clients do. Everything else applies as for chat completions: prices, limits, the log. Tools that Google would run itself, cached contents and files of an account are refused; `safetySettings` are left out.",
  service: 'inference',
  permission: 'any',
  maxBodyBytes: maxInferenceBodyBytes,
  maxGzippedBytes: maxInferenceBodyBytes,
  params: z.object({ call: z.array(z.string()).transform((segments) => segments.join('/')) }),
  query: z.strictObject({ alt: z.enum(['sse', 'json']).optional() }),
  body: GeminiRequest,
  reply: GeminiReply,
  streams: true,
  answerHeaders: conversationAnswerHeaders,
  requestHeaders: inferenceRequestHeaders,
  errors: [...inferenceErrors, 'unknown_url', 'unknown_parameter'],
})
