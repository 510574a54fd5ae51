import fc from 'fast-check'
import { type ErrorCode, errorCatalog } from '../errors.ts'
import { isVoiceError, VoiceErrorEnvelope, voiceErrorCodes, voiceErrorOf } from './voice-errors.ts'

const codes = Object.keys(errorCatalog) as ErrorCode[]

it('answers every error of the fleet with a status and a code of its table', () => {
  fc.assert(
    fc.property(fc.constantFrom(...codes), fc.boolean(), (code, isBodyRead) => {
      const error = voiceErrorOf(code, { isBodyRead })
      expect(isVoiceError(error)).toBe(true)
      expect(VoiceErrorEnvelope.safeParse({ error: { message: 'm', code: error.code } }).success).toBe(true)
    }),
    { numRuns: 1_000 },
  )
})

it('has the statuses and codes of the specification, and no others', () => {
  expect(Object.entries(voiceErrorCodes).flatMap(([status, of]) => of.map((code) => `${status} ${code}`))).toEqual([
    '400 BAD_REQUEST',
    '400 INVALID_BODY',
    '400 INVALID_LANGUAGE',
    '400 INVALID_VOICE',
    '401 UNAUTHORIZED',
    '401 MISSING_API_KEY',
    '402 null',
    '403 FORBIDDEN',
    '404 NOT_FOUND',
    '404 RESOURCE_NOT_FOUND',
    '409 CONFLICT',
    '429 RATE_LIMIT_EXCEEDED',
    '500 INTERNAL_ERROR',
    '503 SERVICE_UNAVAILABLE',
  ])
  expect(isVoiceError({ status: 405, code: 'NOT_FOUND' })).toBe(false)
  expect(isVoiceError({ status: 404, code: 'CONFLICT' })).toBe(false)
})

it.each<[ErrorCode, boolean, string]>([
  ['invalid_request', false, '400 BAD_REQUEST'],
  ['invalid_request', true, '400 INVALID_BODY'],
  ['unknown_parameter', false, '400 INVALID_BODY'],
  ['request_too_large', false, '400 INVALID_BODY'],
  ['unsupported_media_type', false, '400 INVALID_BODY'],
  ['invalid_language', true, '400 INVALID_LANGUAGE'],
  ['invalid_voice', true, '400 INVALID_VOICE'],
  ['invalid_api_key', false, '401 UNAUTHORIZED'],
  ['insufficient_balance', true, '402 null'],
  ['insufficient_permissions', true, '403 FORBIDDEN'],
  ['unknown_url', false, '404 NOT_FOUND'],
  ['method_not_allowed', false, '404 NOT_FOUND'],
  ['not_found', true, '404 RESOURCE_NOT_FOUND'],
  ['version_conflict', true, '409 CONFLICT'],
  ['idempotency_conflict', true, '409 CONFLICT'],
  ['tool_in_use', false, '409 CONFLICT'],
  ['rate_limit_exceeded', true, '503 SERVICE_UNAVAILABLE'],
  ['upstream_error', true, '503 SERVICE_UNAVAILABLE'],
  ['internal_error', true, '500 INTERNAL_ERROR'],
  ['service_unavailable', false, '503 SERVICE_UNAVAILABLE'],
])('answers %s (body read: %s) with %s', (code, isBodyRead, expected) => {
  const error = voiceErrorOf(code, { isBodyRead })
  expect(`${error.status} ${error.code}`).toBe(expected)
})
