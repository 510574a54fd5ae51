import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { deriveAudienceKey, type NamedKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import { Pool } from 'undici'
import type { ServiceAnswer } from '../voice/voice-answer.ts'
import type { VoiceCall } from '../voice/voice-call.ts'

export interface VoiceForwarderOptions {
  /** Scheme, host and port of the voice service. */
  readonly origin: string
  /** The key that signs identities for the service is derived from it. */
  readonly masterKey: NamedKey
  readonly now: () => Date
  /** Milliseconds in which the service must answer. */
  readonly timeoutMs: number
}

export interface VoiceForwarder {
  /** @throws ServiceError `service_unavailable` when the service cannot be reached, `upstream_error` when it fails to answer */
  forward(call: VoiceCall): Promise<ServiceAnswer>
  close(): Promise<void>
}

const audience = 'voice'
const unreachableCodes = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Sends requests to the voice service. Bodies and answers are small, so they are held in memory; streams of events and recordings are not. */
export function createVoiceForwarder({ origin, masterKey, now, timeoutMs }: VoiceForwarderOptions): VoiceForwarder {
  const key = { id: masterKey.id, secret: deriveAudienceKey(masterKey.secret, audience) }
  const pool = new Pool(origin, { headersTimeout: timeoutMs, bodyTimeout: timeoutMs })
  return {
    async forward({ requestId, method, url: path, identity, headers, body }) {
      const signed = signIdentity(key, { audience, requestId, method, path }, identity, now().getTime())
      try {
        const answer = await pool.request({
          method: method as 'GET',
          path,
          headers: { ...headers, [requestIdHeader]: requestId, [identityHeader]: signed },
          body: body.length === 0 ? null : body,
        })
        const shown = { status: answer.statusCode, headers: flat(answer.headers) }
        const type = shown.headers['content-type'] ?? ''
        const isStream = shown.status < 300 && /^(?:text\/event-stream|audio\/)/.test(type)
        return { ...shown, body: isStream ? answer.body : Buffer.from(await answer.body.arrayBuffer()) }
      } catch (cause) {
        throw failureOf(cause)
      }
    },
    close: () => pool.close(),
  }
}

function failureOf(cause: unknown): ServiceError {
  if (unreachableCodes.has(String((cause as { readonly code?: unknown }).code))) {
    const message = 'The service behind this URL is unavailable. Retry.'
    return new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
  }
  return new ServiceError('upstream_error', 'The service behind this URL failed to answer.', { cause })
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
}
