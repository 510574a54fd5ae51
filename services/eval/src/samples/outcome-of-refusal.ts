/** A refusal by inference, as far as it decides what becomes of the work. */
export interface InferenceRefusal {
  /** 0 without an answer. */
  readonly status: number
  readonly code: string | null
  readonly message: string
}

export type Fate =
  /** Not now, and nobody's fault: the work waits. */
  | { readonly kind: 'wait'; readonly delayMs: number }
  /** The model may answer when it is asked again. */
  | { readonly kind: 'retry' }
  /** Others of the eval hold what is left of what it may cost, or all of it is spent. */
  | { readonly kind: 'over_cap' }
  | { readonly kind: 'too_large' }
  /** It will never answer this. */
  | { readonly kind: 'refused' }

const walletDelayMs = 60_000
const runningDelayMs = 1_000
const awayDelayMs = 2_000

/** Of a caller that the fleet does not know: a matter of keys and clocks, not of the question. */
const notOfTheQuestion: ReadonlySet<number> = new Set([401, 403])
/** Inference is away or busy; what a provider does wrong is told as 502. */
const away: ReadonlySet<number> = new Set([0, 429, 503])

/** What becomes of a question that inference refuses. */
export function fateOfRefusal({ status, code }: InferenceRefusal): Fate {
  if (code === 'spend_cap_reached') return { kind: 'over_cap' }
  if (code === 'insufficient_balance') return { kind: 'wait', delayMs: walletDelayMs }
  if (code === 'conflict') return { kind: 'wait', delayMs: runningDelayMs }
  if (away.has(status)) return { kind: 'wait', delayMs: awayDelayMs }
  if (status === 408 || status >= 500 || notOfTheQuestion.has(status)) return { kind: 'retry' }
  const isTooLarge = code === 'context_length_exceeded' || code === 'request_too_large'
  return { kind: isTooLarge ? 'too_large' : 'refused' }
}
