import { createHash } from 'node:crypto'
import type { UpstreamCall } from '@ratchet/http/upstream-call'
import type { Dispatcher } from 'undici'
import type { Provider, ProviderFailure, ProviderListener, ProviderRequest } from '../wire/provider.ts'
import type { AdapterOptions } from './create-provider.ts'
import { engineProvider } from './engine-provider.ts'

/** An engine that several workspaces share. */
export interface SharedEngine {
  readonly upstream: Dispatcher
  readonly workspaceId: string
}

/**
 * An engine of the pool. What it keeps of prompts is not found by other workspaces, which could learn from its speed what
 * others ask.
 */
export function poolProvider({ upstream, workspaceId }: SharedEngine, options: AdapterOptions): Provider {
  const salt = createHash('sha256').update(`cache ${workspaceId}`).digest('base64url')
  const members = { cache_salt: JSON.stringify(salt) }
  return engineProvider({ upstream, members, heardBy: retryingUnknown }, options)
}

/** An engine that was restarted does not know the version. Another one does, or will. */
function retryingUnknown(listener: ProviderListener): ProviderListener {
  return {
    onReply: (reply) => listener.onReply(reply),
    onStreamStart: (facts) => listener.onStreamStart(facts),
    onStreamData: (chunk) => listener.onStreamData(chunk),
    onStreamEnd: () => listener.onStreamEnd(),
    onFailure: (failure) => listener.onFailure(failure.status === 404 ? notLoaded : failure),
  }
}

const notLoaded: ProviderFailure = {
  kind: 'unavailable',
  message: 'The engine does not have the version loaded.',
  retryAfterMs: null,
}

const notInTime: ProviderFailure = {
  kind: 'saturated',
  message: 'The model version is being loaded. Retry.',
  retryAfterMs: 1_000,
}

export interface WakingOptions {
  /** Resolves with the address of an engine that has the version; null when there was none in time. */
  readonly wake: (stopped: AbortSignal) => Promise<string | null>
  readonly engine: (address: string) => Provider
}

/** Waits until an engine has a version, and asks it then. */
export function wakingProvider(options: WakingOptions): Provider {
  return {
    dialects: new Set(['chat', 'messages', 'responses']),
    start: (request, listener) => new WakingCall(options, request, listener),
  }
}

class WakingCall implements UpstreamCall {
  readonly #stopped = new AbortController()
  readonly #listener: ProviderListener
  #call: UpstreamCall | null = null
  #isPaused = false

  constructor({ wake, engine }: WakingOptions, request: ProviderRequest, listener: ProviderListener) {
    this.#listener = listener
    wake(this.#stopped.signal).then(
      (address) => {
        if (this.#stopped.signal.aborted) return
        if (address === null) return listener.onFailure(notInTime)
        this.#call = engine(address).start(request, listener)
        if (this.#isPaused) this.#call.pause()
      },
      (cause: unknown) => {
        if (!this.#stopped.signal.aborted) listener.onFailure({ ...notInTime, cause })
      },
    )
  }

  abort(): void {
    this.#call?.abort()
    if (this.#call !== null || this.#stopped.signal.aborted) return
    this.#stopped.abort()
    this.#listener.onFailure({ kind: 'aborted', message: 'The call was stopped.', retryAfterMs: null })
  }

  pause(): void {
    this.#isPaused = true
    this.#call?.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#call?.resume()
  }
}
