import type { MountedEndpoint } from '@ratchet/contracts/endpoint'
import type { Role } from '@ratchet/contracts/identity'
import { unauthorizedMessage, type VoiceError } from '@ratchet/contracts/voice/voice-errors'
import { voiceKeyEnvironment } from '@ratchet/contracts/voice/voice-key'
import { hashApiKey } from '@ratchet/service-kit/identity/hash-api-key'
import type { EndpointIndex } from '../admission/endpoint-index.ts'
import type { AddressWindows } from './address-windows.ts'
import { isOverLimit, rateHeaders, type VoiceWindows, type WindowPlace } from './hourly-window.ts'
import type { VoiceCaller, VoiceKeyStore } from './voice-keys.ts'

export interface VoiceAdmissionDeps {
  readonly keys: VoiceKeyStore
  readonly windows: VoiceWindows
  readonly addresses: AddressWindows
  /** By their paths with `/v1`. */
  readonly index: EndpointIndex<MountedEndpoint>
  readonly now: () => Date
}

export interface VoiceRequest {
  readonly method: string
  /** Normalized, without the query. */
  readonly path: string
  /** The header `X-API-Key`; null: it is absent. */
  readonly apiKey: string | null
  /** Of the client. */
  readonly address: string
}

type Headers = Readonly<Record<string, string>>

export type VoiceAdmission =
  | {
      readonly kind: 'admitted'
      readonly caller: VoiceCaller
      readonly endpoint: MountedEndpoint
      /** Of the answer. */
      readonly headers: Headers
    }
  | ({ readonly kind: 'refused'; readonly message: string; readonly headers: Headers } & VoiceError)

/**
 * Decides what happens to a request to the voice interface. A caller without a valid key does not learn which paths exist.
 * It rejects when keys or windows cannot be read.
 */
export async function admitVoiceRequest(deps: VoiceAdmissionDeps, request: VoiceRequest): Promise<VoiceAdmission> {
  const { keys, windows, addresses, now } = deps
  const { apiKey, address } = request
  const isWellFormed = apiKey !== null && voiceKeyEnvironment(apiKey) !== null
  const caller = isWellFormed ? await keys.find(hashApiKey(apiKey)) : null
  if (caller === null) {
    const place = addresses.count(address, now().getTime())
    if (isOverLimit(place)) return overLimit(place, now())
    const headers = rateHeaders(place)
    return apiKey === null
      ? refused({ status: 401, code: 'MISSING_API_KEY' }, 'Send your API key in the header X-API-Key.', headers)
      : refused({ status: 401, code: 'UNAUTHORIZED' }, unauthorizedMessage, headers)
  }
  const place = await windows.count(caller.keyId)
  if (isOverLimit(place)) return overLimit(place, now())
  return admitCaller(deps, request, { caller, headers: rateHeaders(place) })
}

const rolesOf: Readonly<Record<string, readonly Role[]>> = {
  any: ['owner', 'admin', 'member'],
  owner_admin: ['owner', 'admin'],
}

function admitCaller(
  { index }: VoiceAdmissionDeps,
  { method, path }: VoiceRequest,
  { caller, headers }: { readonly caller: VoiceCaller; readonly headers: Headers },
): VoiceAdmission {
  const lookup = index.find(method, path.startsWith('/v1/') ? path : `/v1${path}`)
  if (lookup.kind === 'unknown-url') return refused({ status: 404, code: 'NOT_FOUND' }, 'No such URL.', headers)
  if (lookup.kind === 'other-method') {
    const { allow } = lookup
    return refused({ status: 404, code: 'NOT_FOUND' }, `This URL answers ${allow}.`, { ...headers, allow })
  }
  const { endpoint } = lookup
  if (!(rolesOf[endpoint.permission] ?? []).includes(caller.role)) {
    const message = `This requires a key of an owner or admin of the workspace. The user of this key is ${caller.role}.`
    return refused({ status: 403, code: 'FORBIDDEN' }, message, headers)
  }
  return { kind: 'admitted', caller, endpoint, headers }
}

function overLimit(place: WindowPlace, now: Date): VoiceAdmission {
  const seconds = Math.max(1, place.resetsAt - Math.floor(now.getTime() / 1000))
  const message = 'The hourly limit of requests is reached. Retry after the time in X-RateLimit-Reset.'
  const headers = { ...rateHeaders(place), 'retry-after': String(seconds) }
  return refused({ status: 429, code: 'RATE_LIMIT_EXCEEDED' }, message, headers)
}

function refused(error: VoiceError, message: string, headers: Headers): VoiceAdmission {
  return { kind: 'refused', ...error, message, headers }
}
