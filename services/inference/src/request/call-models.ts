import type { UpstreamCall } from '@ratchet/http/upstream-call'
import type { AttemptWatch, WatchAttempt, WatchCalls, WatchedAnswer } from '../providers/calls/attempt-watch.ts'
import { chooseDeployment } from '../routing/choose-deployment.ts'
import { conversationKey } from '../routing/conversation-key.ts'
import type { Deployment } from '../routing/deployment.ts'
import type { RetryBudget } from '../routing/retry-budget.ts'
import { retryDelayMs } from '../routing/retry-delay.ts'
import type { ProviderFailure, ProviderListener, ProviderReply, ProviderRequest } from '../wire/provider.ts'
import type { ChosenRoute } from '../workspace-settings/alias-route.ts'
import { brokenOff, outcomeOf, saturated } from './attempt-failures.ts'

/** A model that may answer, with its deployments. */
export interface Candidate {
  /** The request as this model gets it. */
  readonly request: ProviderRequest
  readonly deployments: readonly Deployment[]
  /** Each provider has its own budget, so that an outage of one does not use up the retries of another. */
  readonly budget: RetryBudget
  /** The alias that was resolved to the model, with its arm; null when the model was named itself. */
  readonly alias: ChosenRoute | null
}

/** The models that may answer a request, the requested one first. */
export type Candidates = readonly [Candidate, ...Candidate[]]

export interface CallModelsOptions {
  readonly candidates: Candidates
  /** Uniform in [0, 1). */
  readonly random: () => number
  readonly onRetry: (request: ProviderRequest, failure: ProviderFailure) => void
  readonly onFallback: (from: ProviderRequest, to: ProviderRequest, failure: ProviderFailure) => void
  /** Observes every call of a provider, for metrics and spans. */
  readonly watchCalls: WatchCalls
}

export interface ModelCall extends UpstreamCall {
  /** The request to the model that is answering, or to the one that was called last. */
  readonly servedRequest: ProviderRequest
  /** Number of calls that were started. */
  readonly tries: number
  /**
   * Ends a stream of which nothing was passed on, because its first frame reports that the provider failed. This counts
   * as a failed call: it is retried, or another model is called. The listener then gets a new stream or the failure.
   */
  startOver(failure: ProviderFailure): void
  /** The client disconnected: what is running may finish, but nothing is retried and no other model is called. */
  finishAttempt(): void
  /**
   * Ends the call as succeeded once the streamed answer is complete, even if the provider sends more. The listener gets
   * nothing further. The connection is reused if the provider closes the stream within a second.
   */
  detach(answer: WatchedAnswer): void
}

/**
 * Calls the first candidate. A failure before the first byte that may be temporary is retried, on another deployment if
 * there is one; after that the next candidate is called. The listener gets one answer or one failure, as if there had
 * been a single call. After the first byte of an answer nothing is retried.
 */
export function callModels(options: CallModelsOptions, listener: ProviderListener): ModelCall {
  const call = new FallbackCall(options, listener)
  call.attempt()
  return call
}

/** Milliseconds in which a provider may close a stream whose answer is complete, so that its connection is reused. */
const drainTimeoutMs = 1_000

class FallbackCall implements ModelCall {
  readonly #options: CallModelsOptions
  readonly #listener: ProviderListener
  readonly #watchAttempt: WatchAttempt
  #watch: AttemptWatch | undefined
  #candidate: Candidate
  #next = 1
  /** Why the model before was left; undefined while the first one is called. */
  #fallenFrom: ProviderFailure | undefined
  #deployment: Deployment | undefined
  #leaveBudget: () => void
  #endRetry: (() => void) | undefined
  #current: UpstreamCall | undefined
  #waiting: NodeJS.Timeout | undefined
  readonly #tried = new Set<Deployment>()
  tries = 0
  /** Number of the current attempt; what an earlier attempt reports is ignored. */
  #attempt = 0
  #retries = 0
  #answering = false
  #aborted = false
  /** True when no further attempt may begin. */
  #isLast = false

  constructor(options: CallModelsOptions, listener: ProviderListener) {
    this.#options = options
    this.#listener = listener
    this.#watchAttempt = options.watchCalls()
    this.#candidate = options.candidates[0]
    this.#leaveBudget = this.#candidate.budget.enter()
  }

  get servedRequest(): ProviderRequest {
    return this.#candidate.request
  }

  attempt(): void {
    this.#waiting = undefined
    const { deployments, request } = this.#candidate
    const conversation = deployments.length < 2 ? null : conversationKey(request)
    const unit = this.#options.random()
    const deployment = chooseDeployment(deployments, { tried: this.#tried, unit, conversation })
    if (deployment === null) this.#failed(saturated)
    else this.#start(deployment)
  }

  #start(deployment: Deployment): void {
    this.#deployment = deployment
    this.tries += 1
    const { request } = this.#candidate
    const { upstreamModel } = deployment
    const model = upstreamModel === request.model.upstreamModel ? request.model : { ...request.model, upstreamModel }
    const placed = { ...request, model }
    this.#watch = this.#watchAttempt(placed, deployment)
    const call = deployment.provider.start(placed, this.#createListener())
    if (this.#deployment === deployment) this.#current = call
    if (this.#aborted) call.abort()
  }

  abort(): void {
    this.#aborted = true
    if (this.#waiting === undefined) return void this.#current?.abort()
    clearTimeout(this.#waiting)
    this.#reportFailure({ kind: 'aborted', message: 'The call was stopped.', retryAfterMs: null })
  }

  finishAttempt(): void {
    this.#isLast = true
    if (this.#waiting === undefined) return
    clearTimeout(this.#waiting)
    this.#reportFailure({ kind: 'unavailable', message: 'The call was not retried.', retryAfterMs: null })
  }

  startOver(failure: ProviderFailure): void {
    const failed = this.#current
    this.#attempt += 1
    this.#answering = false
    failed?.abort()
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

  #createListener(): ProviderListener {
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
      onStreamStart: (facts) => {
        if (isCurrent()) this.#listener.onStreamStart(facts)
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
        // The listener calls `detach` for a complete answer. It did not, so the stream broke off.
        if (watch === this.#watch) this.#watchFailed(brokenOff)
      },
      onFailure: (failure) => {
        if (isCurrent()) this.#failed(failure)
      },
    }
  }

  #succeeded(): void {
    this.#endAttempt('succeeded')
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

  /** Leaves the retry budget at most once, however many times the call ends. */
  #leave(): void {
    this.#leaveBudget()
    this.#leaveBudget = () => {}
  }

  #failed(failure: ProviderFailure): void {
    if (this.#deployment !== undefined) this.#tried.add(this.#deployment)
    this.#watchFailed(failure)
    this.#endAttempt(outcomeOf(failure))
    const delayMs = this.#retryDelayMs(failure)
    const place = delayMs === null ? null : this.#candidate.budget.tryRetry()
    if (delayMs !== null && place !== null) this.#retry(failure, { delayMs, place })
    else this.#fallBackOrFail(failure)
  }

  #retry(failure: ProviderFailure, { delayMs, place }: { delayMs: number; place: () => void }): void {
    this.#endRetry = place
    this.#retries += 1
    this.#options.onRetry(this.servedRequest, failure)
    this.#waiting = setTimeout(() => this.attempt(), delayMs)
  }

  #fallBackOrFail(failure: ProviderFailure): void {
    const reported = this.#reasonOf(failure)
    const candidate = this.#mayFallBack(reported) ? this.#options.candidates[this.#next] : undefined
    if (candidate === undefined) this.#reportFailure(reported)
    else this.#fallBack(candidate, reported)
  }

  /**
   * The client asked for another model. That a model in its place does not take the request is no fault of the client,
   * so the failure remains the one because of which that model was called.
   */
  #reasonOf(failure: ProviderFailure): ProviderFailure {
    return failure.kind === 'refused' ? (this.#fallenFrom ?? failure) : failure
  }

  #fallBack(candidate: Candidate, failure: ProviderFailure): void {
    this.#fallenFrom = failure
    this.#options.onFallback(this.servedRequest, candidate.request, failure)
    this.#leaveBudget()
    this.#leaveBudget = candidate.budget.enter()
    this.#candidate = candidate
    this.#next += 1
    this.#retries = 0
    this.#tried.clear()
    this.attempt()
  }

  #retryDelayMs({ kind, retryAfterMs }: ProviderFailure): number | null {
    if (this.#answering || this.#isLast || (kind !== 'throttled' && kind !== 'unavailable')) return null
    const unit = this.#options.random()
    // The `Retry-After` of one deployment does not hold for another.
    const elsewhere = this.#candidate.deployments.some((each) => !this.#tried.has(each) && !each.health.isEjected())
    return retryDelayMs({ retries: this.#retries, retryAfterMs: elsewhere ? null : retryAfterMs, unit })
  }

  #mayFallBack({ kind }: ProviderFailure): boolean {
    return (
      !this.#answering &&
      !this.#aborted &&
      !this.#isLast &&
      kind !== 'refused' &&
      kind !== 'no_room' &&
      kind !== 'aborted' &&
      kind !== 'broken'
    )
  }

  #reportFailure(failure: ProviderFailure): void {
    this.#waiting = undefined
    this.#endRetry?.()
    this.#endRetry = undefined
    this.#leave()
    this.#listener.onFailure(failure)
  }

  #endAttempt(outcome: 'succeeded' | 'failed' | 'neither'): void {
    this.#endRetry?.()
    this.#endRetry = undefined
    this.#deployment?.health.leave(outcome)
    this.#deployment = undefined
    this.#current = undefined
  }
}
