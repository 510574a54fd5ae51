import { z } from 'zod'
import { type ErrorCode, errorCatalog } from '../errors.ts'

/** Every status of a refusal of the voice interface, with its codes. No other pair leaves its listener. */
export const voiceErrorCodes = {
  400: ['BAD_REQUEST', 'INVALID_BODY', 'INVALID_LANGUAGE', 'INVALID_VOICE'],
  401: ['UNAUTHORIZED', 'MISSING_API_KEY'],
  402: [null],
  403: ['FORBIDDEN'],
  404: ['NOT_FOUND', 'RESOURCE_NOT_FOUND'],
  409: ['CONFLICT'],
  429: ['RATE_LIMIT_EXCEEDED'],
  500: ['INTERNAL_ERROR'],
  503: ['SERVICE_UNAVAILABLE'],
} as const

export type VoiceErrorStatus = keyof typeof voiceErrorCodes
export type VoiceErrorCode = (typeof voiceErrorCodes)[VoiceErrorStatus][number]

/** The body of a refusal. Clients branch on the status; the code is a hint. */
export const VoiceErrorEnvelope = z.object({
  error: z.object({
    message: z.string(),
    code: z.string().nullable().describe('Null with status 402.'),
  }),
})
export type VoiceErrorEnvelope = z.infer<typeof VoiceErrorEnvelope>

export interface VoiceError {
  readonly status: VoiceErrorStatus
  readonly code: VoiceErrorCode
}

/** What a key that is malformed, unknown, revoked, expired or of another interface is answered with: always the same. */
export const unauthorizedMessage = 'The API key is not valid.'

/** Codes of the fleet whose meaning here is more than their status. */
const meanings: { readonly [Code in ErrorCode]?: VoiceError } = {
  invalid_language: { status: 400, code: 'INVALID_LANGUAGE' },
  invalid_voice: { status: 400, code: 'INVALID_VOICE' },
  unknown_parameter: { status: 400, code: 'INVALID_BODY' },
  unknown_url: { status: 404, code: 'NOT_FOUND' },
}

/** Statuses of the fleet, as this interface has them. 429 there is a lack of room; here it is the hourly limit only. */
const statusHere: Readonly<Record<number, VoiceError>> = {
  401: { status: 401, code: 'UNAUTHORIZED' },
  402: { status: 402, code: null },
  403: { status: 403, code: 'FORBIDDEN' },
  404: { status: 404, code: 'RESOURCE_NOT_FOUND' },
  405: { status: 404, code: 'NOT_FOUND' },
  408: { status: 400, code: 'BAD_REQUEST' },
  409: { status: 409, code: 'CONFLICT' },
  412: { status: 409, code: 'CONFLICT' },
  413: { status: 400, code: 'INVALID_BODY' },
  415: { status: 400, code: 'INVALID_BODY' },
  429: { status: 503, code: 'SERVICE_UNAVAILABLE' },
  502: { status: 503, code: 'SERVICE_UNAVAILABLE' },
  503: { status: 503, code: 'SERVICE_UNAVAILABLE' },
}

/**
 * How the voice interface answers an error of the fleet.
 *
 * @param isBodyRead whether the body was read as JSON, so that what is wrong is a value in it
 */
export function voiceErrorOf(code: ErrorCode, { isBodyRead }: { readonly isBodyRead: boolean }): VoiceError {
  const meaning = meanings[code]
  if (meaning !== undefined) return meaning
  const { status } = errorCatalog[code]
  if (status === 400) return { status, code: isBodyRead ? 'INVALID_BODY' : 'BAD_REQUEST' }
  return statusHere[status] ?? { status: 500, code: 'INTERNAL_ERROR' }
}

/** Whether a status and a code may leave the listener together. */
export function isVoiceError({ status, code }: { readonly status: number; readonly code: unknown }): boolean {
  const codes: readonly unknown[] = voiceErrorCodes[status as VoiceErrorStatus] ?? []
  return codes.includes(code)
}
