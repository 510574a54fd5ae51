import type { Wire } from '../wire.ts'
import { WireError } from '../wire-error.ts'

/** A key that is refused, like one that Google does not know. */
const badKey = 'invalid'

/** Google's key header and error envelope. */
export const geminiWire: Wire = {
  checkRequest({ headers }) {
    const key = headers['x-goog-api-key'] ?? ''
    if (key === '') {
      const message =
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or " +
        'other form of API consumer identity to call this API.'
      throw new WireError(403, message)
    }
    if (key !== badKey) return
    throw new WireError(400, 'API key not valid. Please pass a valid API key.', { code: 'API_KEY_INVALID' })
  },
  errorBody: geminiError,
}

/** An error in Google's format, for bodies and streams. */
export function geminiError(error: WireError): string {
  const { status, message } = error
  const details = detailsOf(error)
  return JSON.stringify({
    error: { code: status, message, status: statusOf(status), ...(details.length === 0 ? {} : { details }) },
  })
}

function detailsOf({ status, code }: WireError): object[] {
  if (status === 429) return [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' }]
  if (code !== 'API_KEY_INVALID') return []
  return [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code, domain: 'googleapis.com' }]
}

const statuses: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

function statusOf(status: number): string {
  return statuses[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL')
}
