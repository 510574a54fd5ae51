import type { Deployment } from '../../routing/deployment.ts'
import type { ProviderFailure, ProviderRequest } from '../../wire/provider.ts'
import type { Usage } from '../../wire/usage.ts'

/** The part of a complete answer that metrics and spans need. */
export interface WatchedAnswer {
  /** The usage that the provider reported; null when it reported none. */
  readonly usage: Usage | null
  /**
   * Returns the answer in its unstreamed form; null when there is none. It takes time, so it is called only when
   * needed.
   */
  readonly read: () => Buffer | null
}

/** Observes one call of a provider until its end. */
export interface AttemptWatch {
  /** The first byte of a stream arrived. */
  streaming(): void
  answered(answer: WatchedAnswer): void
  failed(failure: ProviderFailure): void
}

/** Is called when a call of a provider begins. */
export type WatchAttempt = (request: ProviderRequest, deployment: Deployment) => AttemptWatch

/** Is called when a request begins to call models, so that its calls can be recorded under the request's span. */
export type WatchCalls = () => WatchAttempt

/** Combines several observers. */
export function allWatches(watches: readonly WatchCalls[]): WatchCalls {
  return () => {
    const begun = watches.map((watch) => watch())
    return (request, deployment) => {
      const attempts = begun.map((watch) => watch(request, deployment))
      return {
        streaming() {
          for (const attempt of attempts) attempt.streaming()
        },
        answered(answer) {
          for (const attempt of attempts) attempt.answered(answer)
        },
        failed(failure) {
          for (const attempt of attempts) attempt.failed(failure)
        },
      }
    }
  }
}
