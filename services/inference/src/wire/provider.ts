import type { UpstreamCall } from '@ratchet/http/upstream-call'
import type { CatalogModel } from '../catalog/catalog.ts'
import type { Body, Dialect } from './dialect.ts'
import type { JsonScan } from './json/scan-json.ts'
import type { Usage } from './usage.ts'

/** A request as it goes to a provider: the client's own bytes, and what was read of them. */
export interface ProviderRequest {
  readonly requestId: string
  /** The dialect that `bytes` are in, and that the answer has to be in. */
  readonly dialect: Dialect
  readonly model: CatalogModel
  readonly bytes: Buffer
  /** What a scan of `bytes` found. */
  readonly scan: JsonScan
  /** `bytes`, parsed; never changed by anybody. */
  readonly body: Body
  /** Whether the answer is to be a stream of server-sent events. */
  readonly stream: boolean
  readonly hints?: RequestHints
}

/** What a client says of its request beside the body. */
export interface RequestHints {
  /** The header of that name on Messages: features that are not in the API for good. */
  readonly anthropicBeta: string
}

/** A whole answer in the request's dialect. */
export interface ProviderReply {
  readonly bytes: Buffer
  readonly scan: JsonScan
  /** Null when the provider did not say. */
  readonly usage: Usage | null
  /** Text that the model generated, for when usage is missing: content, reasoning, tool names and arguments. */
  readonly pieces: readonly string[]
}

/** Why a provider did not give a (whole) answer. */
export interface ProviderFailure {
  readonly kind:
    | 'refused' // the request is at fault; `message` is the provider's and meant for the caller
    | 'throttled' // 429
    | 'saturated' // every deployment has as many calls in flight as it may have; nothing was sent
    | 'unavailable' // 5xx, or no answer at all: another try may find it well
    | 'broken' // an answer began and cannot be used: another try would be paid for twice
    | 'timed_out'
    | 'misconfigured' // our key or model name is wrong
    | 'aborted' // by us
  readonly message: string
  /** The field at fault and the provider's code for it, when it refused the request and named them. */
  readonly param?: string
  readonly code?: string
  /** The provider's `Retry-After`, milliseconds, when it sent one. */
  readonly retryAfterMs: number | null
  readonly cause?: unknown
}

/**
 * Hears one call. Either `onReply`, or `onStreamData` any number of times and then `onStreamEnd`;
 * `onFailure` may come instead of, or in the middle of, either.
 */
export interface ProviderListener {
  onReply(reply: ProviderReply): void
  /** Bytes of an SSE stream in the request's dialect, cut anywhere. */
  onStreamData(chunk: Buffer): void
  /** The provider closed the stream properly; whether the answer is whole, the stream itself tells. */
  onStreamEnd(): void
  onFailure(failure: ProviderFailure): void
}

/** One way of talking to models. Adapters translate; they never retry, bill or write to a client. */
export interface Provider {
  /** The dialects it answers in. Every chat provider answers in `chat`. */
  readonly dialects: ReadonlySet<Dialect>
  /** @throws never: what is wrong with a request is told as a failure of kind `refused` */
  start(request: ProviderRequest, listener: ProviderListener): UpstreamCall
}
