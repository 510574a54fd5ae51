import type { ProviderFailure } from '../wire/provider.ts'

export const saturated: ProviderFailure = {
  kind: 'saturated',
  message: 'The model has the maximum number of calls in flight.',
  retryAfterMs: null,
}

export const brokenOff: ProviderFailure = {
  kind: 'broken',
  message: 'The provider broke off its answer.',
  retryAfterMs: null,
}

/**
 * What a failed attempt says about the health of its deployment. What a client can cause says nothing, because other clients
 * would lose the deployment.
 */
export function outcomeOf({ kind, spent }: ProviderFailure): 'failed' | 'neither' {
  if (spent !== undefined) return 'neither'
  return kind === 'unavailable' || kind === 'broken' || kind === 'timed_out' ? 'failed' : 'neither'
}
