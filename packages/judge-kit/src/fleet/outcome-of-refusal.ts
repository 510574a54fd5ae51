import type { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { storableText } from '@ratchet/service-kit/values/storable-text'

/** What a refusal of a model call by inference means for the work that made the call. */
export type RefusalOutcome =
  /** A temporary condition of the workspace or of this call: the work waits, and this is not a failure. */
  | { readonly kind: 'wait'; readonly delayMs: number }
  /** Inference is unavailable or busy. */
  | { readonly kind: 'unavailable' }
  /** The model may answer when it is called again. */
  | { readonly kind: 'retry' }
  /** The spend cap of the call is used up, or other calls hold what is left of it. */
  | { readonly kind: 'over_cap' }
  | { readonly kind: 'too_large' }
  /** The same request will never be answered. */
  | { readonly kind: 'refused' }

/** Delay while the wallet is empty or a budget is spent, milliseconds. */
const walletDelayMs = 60_000
/** Delay while the same call is running in another process, milliseconds. */
const runningDelayMs = 1_000

/** These statuses concern the identity of this process (its keys and clock), not the request. */
const identityStatuses: ReadonlySet<number> = new Set([401, 403])
/** Inference is unavailable or busy. Errors of providers have the status 502. */
const unavailableStatuses: ReadonlySet<number> = new Set([0, 429, 503])

export function outcomeOfRefusal(refusal: FleetCallError): RefusalOutcome {
  const { status, code } = refusal
  if (code === 'spend_cap_reached') return { kind: 'over_cap' }
  if (code === 'insufficient_balance' || code === 'budget_exceeded') return { kind: 'wait', delayMs: walletDelayMs }
  if (code === 'conflict') return { kind: 'wait', delayMs: runningDelayMs }
  if (unavailableStatuses.has(status)) return { kind: 'unavailable' }
  if (refusal.mayPass || identityStatuses.has(status)) return { kind: 'retry' }
  const isTooLarge = code === 'context_length_exceeded' || code === 'request_too_large'
  return { kind: isTooLarge ? 'too_large' : 'refused' }
}

/** The message of a refusal as it can be stored and shown. */
export function storableMessage({ message }: FleetCallError): string {
  return storableText(message, 1_000)
}
