import type { Wire } from '../wire.ts'
import { WireError } from '../wire-error.ts'

/** Anthropic's error envelope, and its key in either of the headers that it accepts. */
export const anthropicWire: Wire = {
  checkRequest({ headers }) {
    const hasKey = (headers['x-api-key'] ?? '') !== '' || /^Bearer \S/i.test(headers.authorization ?? '')
    if (!hasKey) throw new WireError(401, 'x-api-key header is required')
    const version = String(headers['anthropic-version'] ?? '')
    if (!versions.has(version)) throw new WireError(400, `anthropic-version: "${version}" is not a valid version`)
  },
  errorBody: anthropicError,
  errorHeaders: () => ['request-id', requestId],
}

/**
 * The later version refuses sampling parameters and some blocks that the earlier one accepts; its answers are the same.
 */
const versions: ReadonlySet<string> = new Set(['2023-06-01', '2026-10-21'])

const requestId = 'req_simulated'

/** An error in Anthropic's format, for bodies and streams. */
export function anthropicError({ status, message, param }: WireError): string {
  const place = param === null || message.startsWith(param) ? '' : `${param}: `
  const error = { type: typeOf(status), message: `${place}${message}` }
  return JSON.stringify({ type: 'error', error, request_id: requestId })
}

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

function typeOf(status: number): string {
  return types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
}
