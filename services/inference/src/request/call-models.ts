import type { UpstreamCall } from '@ratchet/http/upstream-call'
import type { AttemptWatch, WatchAttempt, WatchCalls, WatchedAnswer } from '../providers/calls/attempt-watch.ts'
import { chooseDeployment } from '../routing/choose-deployment.ts'
import type { Deployment } from '../routing/deployment.ts'
import type { RetryBudget } from '../routing/retry-budget.ts'
import { retryDelayMs } from '../routing/retry-delay.ts'
import type { ProviderFailure, ProviderListener, ProviderReply, ProviderRequest } from '../wire/provider.ts'
import type { ChosenArm } from '../workspace-settings/alias-route.ts'

/** A model that may answer, and the places where it runs. */
export interface Candidate {
  /** As it would go to this model. */
  readonly request: ProviderRequest
  readonly deployments: readonly Deployment[]
  /** Of the model's provider: the outage of one does not use up another's. */
  readonly budget: RetryBudget
  /** How its name led to the model; null when that was the model's own. */
  readonly alias: ChosenArm | null
}

export interface CallModelsOptions {
  /** The most wanted first; never empty. */
  readonly candidates: readonly [Candidate, ...Candidate[]]
  /** Uniform in [0, 1). */
  readonly random: () => number
  readonly onRetry: (request: ProviderRequest, failure: ProviderFailure) => void
  readonly onFallback: (from: ProviderRequest, to: ProviderRequest, failure: ProviderFailure) => void
  /** Hears of every call of a provider. */
  readonly watchCalls: WatchCalls
}

export interface ModelCall extends UpstreamCall {
  /** The request that is being answered, or was tried last. */
  readonly served: ProviderRequest
  /**
   * For a stream of which nothing was passed on: its first frame says that the provider failed, which is as if it had
   * answered with an error. The call is made again, or another model asked, as after any such failure; the listener
   * hears a new stream from its beginning, or the failure.
   */
  startOver(failure: ProviderFailure): void
  /**
   * The streamed answer is whole, whatever else the provider may say: nothing more is heard of the call, its place is
   * free, and its connection is kept if it comes to its end soon.
   */
  detach(answer: WatchedAnswer): void
}

/**
 * Asks the first candidate; again, and elsewhere, when it failed before its first byte for a reason that may pass;
 * then the next candidate. The listener hears one answer or one failure, as if there had been one call; once a byte
 * of an answer came, nothing is tried again.
 */
export function callModels(options: CallModelsOptions, listener: ProviderListener): ModelCall {
  const call = new PersistentCall(options, listener)
  call.attempt()
  return call
}

const saturated: ProviderFailure = {
  kind: 'saturated',
  message: 'The model has as many calls in flight as it may have.',
  retryAfterMs: null,
}

const brokenOff: ProviderFailure = {
  kind: 'broken',
  message: 'The provider broke off its answer.',
  retryAfterMs: null,
}

/** Milliseconds that a provider gets to end a call whose answer is whole. */
const drainTimeoutMs = 1_000

class PersistentCall implements ModelCall {
  readonly #options: CallModelsOptions
  readonly #listener: ProviderListener
  readonly #watchAttempt: WatchAttempt
  #watch: AttemptWatch | undefined
  #candidate: Candidate
  #next = 1
  #deployment: Deployment | undefined
  #leaveBudget: () => void
  #endRetry: (() => void) | undefined
  #current: UpstreamCall | undefined
  #waiting: NodeJS.Timeout | undefined
  readonly #tried = new Set<Deployment>()
  /** Counts attempts, so that nothing is heard of one that was given up. */
  #attempt = 0
  #retries = 0
  #answering = false
  #aborted = false

  constructor(options: CallModelsOptions, listener: ProviderListener) {
    this.#options = options
    this.#listener = listener
    this.#watchAttempt = options.watchCalls()
    this.#candidate = options.candidates[0]
    this.#leaveBudget = this.#candidate.budget.enter()
  }

  get served(): ProviderRequest {
    return this.#candidate.request
  }

  attempt(): void {
    this.#waiting = undefined
    const { deployments } = this.#candidate
    const deployment = chooseDeployment(deployments, { tried: this.#tried, unit: this.#options.random() })
    if (deployment === null) this.#failed(saturated)
    else this.#start(deployment)
  }

  #start(deployment: Deployment): void {
    this.#deployment = deployment
    const { request } = this.#candidate
    const { upstreamModel } = deployment
    const model = upstreamModel === request.model.upstreamModel ? request.model : { ...request.model, upstreamModel }
    const asked = { ...request, model }
    this.#watch = this.#watchAttempt(asked, deployment)
    const call = deployment.provider.start(asked, this.#hear())
    if (this.#deployment === deployment) this.#current = call
    if (this.#aborted) call.abort()
  }

  abort(): void {
    this.#aborted = true
    if (this.#waiting === undefined) return void this.#current?.abort()
    clearTimeout(this.#waiting)
    this.#giveUp({ kind: 'aborted', message: 'The call was stopped.', retryAfterMs: null })
  }

  startOver(failure: ProviderFailure): void {
    const given = this.#current
    this.#attempt += 1
    this.#answering = false
    given?.abort()
    this.#failed(failure)
  }

  detach(answer: WatchedAnswer): void {
    const rest = this.#current
    this.#answered(answer)
    this.#attempt += 1
    this.#succeeded()
    rest?.resume()
    setTimeout(() => rest?.abort(), drainTimeoutMs).unref()
  }

  pause(): void {
    this.#current?.pause()
  }

  resume(): void {
    this.#current?.resume()
  }

  #hear(): ProviderListener {
    this.#attempt += 1
    const attempt = this.#attempt
    const isCurrent = () => attempt === this.#attempt
    return {
      onReply: (reply: ProviderReply) => {
        if (!isCurrent()) return
        this.#answered({ usage: reply.usage, read: () => reply.bytes })
        this.#succeeded()
        this.#listener.onReply(reply)
      },
      onStreamData: (chunk) => {
        if (!isCurrent()) return
        if (!this.#answering) this.#watch?.streaming()
        this.#answering = true
        this.#listener.onStreamData(chunk)
      },
      onStreamEnd: () => {
        if (!isCurrent()) return
        this.#succeeded()
        const watch = this.#watch
        this.#listener.onStreamEnd()
        // Nobody found the answer whole.
        if (watch === this.#watch) this.#watchFailed(brokenOff)
      },
      onFailure: (failure) => {
        if (isCurrent()) this.#failed(failure)
      },
    }
  }

  #succeeded(): void {
    this.#over('succeeded')
    this.#leave()
  }

  #answered(answer: WatchedAnswer): void {
    this.#watch?.answered(answer)
    this.#watch = undefined
  }

  #watchFailed(failure: ProviderFailure): void {
    this.#watch?.failed(failure)
    this.#watch = undefined
  }

  /** Counted once, however often a call is told that it is over. */
  #leave(): void {
    this.#leaveBudget()
    this.#leaveBudget = () => {}
  }

  #failed(failure: ProviderFailure): void {
    if (this.#deployment !== undefined) this.#tried.add(this.#deployment)
    this.#watchFailed(failure)
    this.#over(outcomeOf(failure))
    const delayMs = this.#retryDelayMs(failure)
    const place = delayMs === null ? null : this.#candidate.budget.tryRetry()
    if (delayMs !== null && place !== null) this.#retry(failure, { delayMs, place })
    else this.#fallBackOrGiveUp(failure)
  }

  #retry(failure: ProviderFailure, { delayMs, place }: { delayMs: number; place: () => void }): void {
    this.#endRetry = place
    this.#retries += 1
    this.#options.onRetry(this.served, failure)
    this.#waiting = setTimeout(() => this.attempt(), delayMs)
  }

  #fallBackOrGiveUp(failure: ProviderFailure): void {
    const candidate = this.#mayFallBack(failure) ? this.#options.candidates[this.#next] : undefined
    if (candidate === undefined) this.#giveUp(failure)
    else this.#fallBack(candidate, failure)
  }

  #fallBack(candidate: Candidate, failure: ProviderFailure): void {
    this.#options.onFallback(this.served, candidate.request, failure)
    this.#leaveBudget()
    this.#leaveBudget = candidate.budget.enter()
    this.#candidate = candidate
    this.#next += 1
    this.#retries = 0
    this.#tried.clear()
    this.attempt()
  }

  #retryDelayMs({ kind, retryAfterMs }: ProviderFailure): number | null {
    if (this.#answering || (kind !== 'throttled' && kind !== 'unavailable')) return null
    const unit = this.#options.random()
    // Somewhere else there is nothing to wait for.
    const elsewhere = this.#candidate.deployments.some((each) => !this.#tried.has(each) && !each.health.isEjected())
    return retryDelayMs({ retries: this.#retries, retryAfterMs: elsewhere ? null : retryAfterMs, unit })
  }

  #mayFallBack({ kind }: ProviderFailure): boolean {
    return !this.#answering && !this.#aborted && kind !== 'refused' && kind !== 'aborted' && kind !== 'broken'
  }

  #giveUp(failure: ProviderFailure): void {
    this.#waiting = undefined
    this.#endRetry?.()
    this.#endRetry = undefined
    this.#leave()
    this.#listener.onFailure(failure)
  }

  /** The present attempt is over. */
  #over(outcome: 'succeeded' | 'failed' | 'neither'): void {
    this.#endRetry?.()
    this.#endRetry = undefined
    this.#deployment?.health.leave(outcome)
    this.#deployment = undefined
    this.#current = undefined
  }
}

function outcomeOf({ kind }: ProviderFailure): 'failed' | 'neither' {
  return kind === 'unavailable' || kind === 'broken' || kind === 'timed_out' ? 'failed' : 'neither'
}
