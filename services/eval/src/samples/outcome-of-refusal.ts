/** An error answer of inference. */
export interface InferenceRefusal {
  /** 0 when there was no answer. */
  readonly status: number
  readonly code: string | null
  readonly message: string
}

export type RefusalOutcome =
  /** A temporary condition: the sample waits, and this does not count as a failure. */
  | { readonly kind: 'wait'; readonly delayMs: number }
  /** The model may answer when it is called again. */
  | { readonly kind: 'retry' }
  /** The spend cap of the eval is used up, or other samples hold what is left of it. */
  | { readonly kind: 'over_cap' }
  | { readonly kind: 'too_large' }
  /** The same request will never be answered. */
  | { readonly kind: 'refused' }

const walletDelayMs = 60_000
const runningDelayMs = 1_000
const unavailableDelayMs = 2_000

/** These statuses concern the identity of this process (its keys and clock), not the request. */
const identityStatuses: ReadonlySet<number> = new Set([401, 403])
/** Inference is unavailable or busy. Errors of providers have the status 502. */
const unavailableStatuses: ReadonlySet<number> = new Set([0, 429, 503])

/** Decides what a refusal by inference means for the sample. */
export function outcomeOfRefusal({ status, code }: InferenceRefusal): RefusalOutcome {
  if (code === 'spend_cap_reached') return { kind: 'over_cap' }
  if (code === 'insufficient_balance') return { kind: 'wait', delayMs: walletDelayMs }
  if (code === 'conflict') return { kind: 'wait', delayMs: runningDelayMs }
  if (unavailableStatuses.has(status)) return { kind: 'wait', delayMs: unavailableDelayMs }
  if (status === 408 || status >= 500 || identityStatuses.has(status)) return { kind: 'retry' }
  const isTooLarge = code === 'context_length_exceeded' || code === 'request_too_large'
  return { kind: isTooLarge ? 'too_large' : 'refused' }
}
