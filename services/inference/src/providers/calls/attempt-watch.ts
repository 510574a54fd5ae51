import type { Deployment } from '../../routing/deployment.ts'
import type { ProviderFailure, ProviderRequest } from '../../wire/provider.ts'
import type { Usage } from '../../wire/usage.ts'

/** A whole answer, as far as anybody who only watches wants to know it. */
export interface WatchedAnswer {
  /** As the provider gave it; null when it did not. */
  readonly usage: Usage | null
  /** The answer in its unstreamed form; null when there is none. Making it costs something. */
  readonly read: () => Buffer | null
}

/** Hears how one call of a provider goes, to its one end. */
export interface AttemptWatch {
  /** The first byte of a stream came. */
  streaming(): void
  answered(answer: WatchedAnswer): void
  failed(failure: ProviderFailure): void
}

/** Called as a call of a provider begins. */
export type WatchAttempt = (request: ProviderRequest, deployment: Deployment) => AttemptWatch

/** Called as a request begins to ask models: what comes of its calls belongs to it, whoever hears of them. */
export type WatchCalls = () => WatchAttempt

/** Several watches as one. */
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
