import { z } from 'zod'
import { type ErrorEnvelope, errorCatalog } from './errors.ts'

/** An error in the form of Google's API. */
export const GeminiError = z.object({
  error: z.object({
    code: z.int().describe('The status of HTTP.'),
    message: z.string(),
    status: z.string(),
    request_id: z.string(),
  }),
})

/** Paths of Google's Gemini API: its versions, and methods after a colon. */
const geminiPath =
  /^\/(?:v1beta|v1alpha)\d*(?:\/|$)|^\/v1\/models\/[^:]+:(?:(?:generate|streamGenerate|embed|batchEmbed)Content|countTokens)/
const geminiCall = /^\/v1(?:beta)?\/models\/.+:(?:generateContent|streamGenerateContent|countTokens)$/

export function isGeminiPath(path: string): boolean {
  return geminiPath.test(path)
}

/** True for what this gateway has of Gemini's API, in either of its versions. */
export function isGeminiCall(path: string): boolean {
  return geminiCall.test(path)
}

/** The statuses of Google's errors, by the status of HTTP. */
const names: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [429, 'RESOURCE_EXHAUSTED'],
  [503, 'UNAVAILABLE'],
])

/** The body of an error in the form of Google's API, which its clients read. */
export function geminiError({
  error: { type, code, message, request_id },
}: ErrorEnvelope): z.input<typeof GeminiError> {
  const known = Object.entries(errorCatalog).find(([name]) => name === code)
  const status = known?.[1].status ?? (type === 'upstream_error' ? 502 : 500)
  return { error: { code: status, message, status: names.get(status) ?? 'INTERNAL', request_id } }
}
