import type { UpstreamCall } from '@ratchet/http/upstream-call'
import { retryDelayMs } from '../domain/retry-delay.ts'
import type { ChatListener, ChatProvider, ProviderChatRequest, ProviderFailure } from '../providers/provider.ts'
import type { RetryBudget } from './retry-budget.ts'

export interface CallProviderOptions {
  readonly provider: ChatProvider
  readonly budget: RetryBudget
  /** Uniform in [0, 1). */
  readonly random: () => number
  readonly onRetry: (failure: ProviderFailure) => void
}

/**
 * Calls the provider, again when it failed before its first byte for a reason that may pass. The
 * listener hears one answer or one failure, as if there had been one call; once a byte of an answer
 * came, nothing is tried again.
 */
export function callProvider(
  options: CallProviderOptions,
  request: ProviderChatRequest,
  listener: ChatListener,
): UpstreamCall {
  const call = new RetriedCall(options, request, listener)
  call.attempt()
  return call
}

class RetriedCall implements UpstreamCall {
  readonly #options: CallProviderOptions
  readonly #request: ProviderChatRequest
  readonly #listener: ChatListener
  readonly #leave: () => void
  #current: UpstreamCall | undefined
  #waiting: NodeJS.Timeout | undefined
  #endRetry: (() => void) | undefined
  #retries = 0
  #answering = false

  constructor(options: CallProviderOptions, request: ProviderChatRequest, listener: ChatListener) {
    this.#options = options
    this.#request = request
    this.#listener = listener
    this.#leave = options.budget.enter()
  }

  attempt(): void {
    this.#waiting = undefined
    this.#current = this.#options.provider.startChat(this.#request, {
      onReply: (reply) => {
        this.#over()
        this.#listener.onReply(reply)
      },
      onStreamData: (chunk) => {
        this.#answering = true
        this.#listener.onStreamData(chunk)
      },
      onStreamEnd: () => {
        this.#over()
        this.#listener.onStreamEnd()
      },
      onFailure: (failure) => this.#failed(failure),
    })
  }

  abort(): void {
    if (this.#waiting === undefined) return void this.#current?.abort()
    clearTimeout(this.#waiting)
    this.#giveUp({ kind: 'aborted', message: 'The call was stopped.', retryAfterMs: null })
  }

  pause(): void {
    this.#current?.pause()
  }

  resume(): void {
    this.#current?.resume()
  }

  #failed(failure: ProviderFailure): void {
    const delayMs = this.#retryDelayMs(failure)
    this.#endRetry?.()
    this.#endRetry = undefined
    const place = delayMs === null ? null : this.#options.budget.tryRetry()
    if (delayMs === null || place === null) this.#giveUp(failure)
    else this.#retry(failure, { delayMs, place })
  }

  #retry(failure: ProviderFailure, { delayMs, place }: { delayMs: number; place: () => void }): void {
    this.#endRetry = place
    this.#retries += 1
    this.#options.onRetry(failure)
    this.#waiting = setTimeout(() => this.attempt(), delayMs)
  }

  #retryDelayMs({ kind, retryAfterMs }: ProviderFailure): number | null {
    if (this.#answering || (kind !== 'throttled' && kind !== 'unavailable')) return null
    return retryDelayMs({ retries: this.#retries, retryAfterMs, unit: this.#options.random() })
  }

  #giveUp(failure: ProviderFailure): void {
    this.#waiting = undefined
    this.#over()
    this.#listener.onFailure(failure)
  }

  #over(): void {
    this.#leave()
    this.#endRetry?.()
    this.#endRetry = undefined
  }
}
