import { type ErrorEnvelope, errorCatalog } from './errors.ts'

/** Paths of Google's Gemini API: its versions, and methods after a colon. */
const geminiPath =
  /^\/(?:v1beta|v1alpha)\d*(?:\/|$)|^\/v1\/models\/[^:]+:(?:generate|streamGenerate|embed|batchEmbed)Content/

export function isGeminiPath(path: string): boolean {
  return geminiPath.test(path)
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
export function geminiError({ error: { code, message, request_id } }: ErrorEnvelope): object {
  const known = Object.entries(errorCatalog).find(([name]) => name === code)
  const status = known?.[1].status ?? 500
  return { error: { code: status, message, status: names.get(status) ?? 'INTERNAL', request_id } }
}
