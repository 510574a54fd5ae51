import { Readable } from 'node:stream'
import { isVoiceError, VoiceErrorEnvelope, type VoiceErrorStatus } from '@ratchet/contracts/voice/voice-errors'

/** The answer of the voice service to a forwarded request. */
export interface ServiceAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A stream of events, or a recording, is passed on as it comes. */
  readonly body: Buffer | Readable
}

/** Headers of the service that clients see, besides those of the listener. */
const passedHeaders = [
  ...['content-type', 'retry-after', 'allow', 'idempotent-replay', 'cache-control', 'location'],
  // Of recordings.
  ...['accept-ranges', 'content-range', 'content-length'],
]

/**
 * What a client sees of an answer.
 *
 * @returns null for a refusal that is not of the interface's table, so that nothing else ever leaves the listener
 */
export function shownAnswer({ status, headers, body }: ServiceAnswer): ServiceAnswer | null {
  if (status >= 400 && (body instanceof Readable || !isOfTable(status, body))) return null
  const shown = passedHeaders.flatMap((name) => {
    const value = headers[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  // A refusal was read as JSON, whatever the service calls it.
  const type = status >= 400 ? { 'content-type': 'application/json; charset=utf-8' } : {}
  return { status, headers: { ...Object.fromEntries(shown), ...type }, body }
}

/** A 401 of the service is not the caller's fault: it refused the identity that the edge signed. */
function isOfTable(status: number, body: Buffer): status is VoiceErrorStatus {
  if (status === 401) return false
  try {
    const parsed = VoiceErrorEnvelope.safeParse(JSON.parse(body.toString('utf8')))
    return parsed.success && isVoiceError({ status, code: parsed.data.error.code })
  } catch {
    return false
  }
}
