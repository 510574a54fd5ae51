import type { ErrorCode } from '@ratchet/contracts/errors'
import type { FailureCause, RequestOutcome } from '@ratchet/contracts/failure-causes'
import type { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { ProviderFailure } from '../wire/provider.ts'
import type { OutcomeNotes } from './outcome-notes.ts'

/**
 * How a request ended.
 *
 * @param isPeerLost whether the connection to the edge was lost, which is not the client's doing
 */
export function outcomeOf(notes: OutcomeNotes, isPeerLost: boolean): RequestOutcome {
  if (notes.ended !== null) return notes.ended
  if (isPeerLost) return 'ours'
  if (notes.hasLeft || notes.error === null) return 'client_left'
  return causeOf(notes.error, notes)
}

/** The cause of an error that a client got. */
export function causeOf(
  { code }: Pick<ServiceError, 'code'>,
  { failure, limited }: Pick<OutcomeNotes, 'failure' | 'limited'>,
): FailureCause {
  if (code === 'context_length_exceeded') return 'context_too_long'
  if (code === 'rate_limit_exceeded') return limited === 'key' ? 'key_rate_limit' : 'workspace_rate_limit'
  const own = causesOfCodes[code]
  if (own !== undefined && (failure === null || failure.kind === 'aborted')) return own
  if (failure !== null) return causesOfProviders[failure.kind]
  // an error frame of a stream, which has no failure
  if (code === 'upstream_error') return 'provider_cut'
  return isOurs(code) ? 'ours' : 'invalid_request'
}

const causesOfProviders: Readonly<Record<ProviderFailure['kind'], FailureCause>> = {
  refused: 'provider_refused',
  throttled: 'provider_rate_limited',
  saturated: 'ours',
  unavailable: 'provider_down',
  no_room: 'ours',
  broken: 'provider_cut',
  timed_out: 'provider_timeout',
  misconfigured: 'provider_not_configured',
  aborted: 'ours',
}

const causesOfCodes: Partial<Readonly<Record<ErrorCode, FailureCause>>> = {
  insufficient_balance: 'no_credit',
  spend_cap_reached: 'spend_cap',
  budget_exceeded: 'spend_cap',
  model_not_allowed: 'not_permitted',
  model_not_found: 'model_unknown',
  dedicated_endpoint_not_found: 'model_unknown',
  unknown_model: 'model_unknown',
  unknown_provider: 'provider_not_configured',
  request_too_large: 'too_large',
  insufficient_permissions: 'not_permitted',
  fresh_sign_in_required: 'not_permitted',
  abuse_guard: 'abuse_guard',
}

function isOurs(code: ErrorCode): boolean {
  return code === 'internal_error' || code === 'service_unavailable'
}
