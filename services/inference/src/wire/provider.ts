import type { UpstreamCall } from '@ratchet/http/upstream-call'
import type { JsonScan } from '@ratchet/service-kit/json/scan-json'
import type { CatalogModel } from '../catalog/catalog.ts'
import type { AnswerLimits } from './answer-limits.ts'
import type { Body, Dialect } from './dialect.ts'
import type { Leniency } from './leniency.ts'
import type { StreamFacts } from './stream-converter.ts'
import type { Usage } from './usage.ts'

/** A request to a provider: the bytes that the client sent, with their scan and their parsed form. */
export interface ProviderRequest {
  readonly requestId: string
  /** The dialect of `bytes`, which the answer must have too. */
  readonly dialect: Dialect
  readonly model: CatalogModel
  readonly bytes: Buffer
  /** The result of `scanJson` for `bytes`. */
  readonly scan: JsonScan
  /** The parsed `bytes`. It is shared and must not be changed. */
  readonly body: Body
  /** True when the answer must be a stream of server-sent events. */
  readonly stream: boolean
  readonly limits: AnswerLimits
  readonly hints?: RequestHints | undefined
  /** Absent when whatever the model has nothing like is refused. */
  readonly leniency?: Leniency | undefined
}

/** What changes how a provider answers, beside the body. */
export interface RequestHints {
  /** The `anthropic-beta` header of the Messages API: it enables features that are not yet part of the API. */
  readonly anthropicBeta?: string
  /** `compact`: the answer stands for the conversation so far. */
  readonly task?: 'compact'
  /** The `anthropic-version` header, when the client requests another version than the usual one. */
  readonly anthropicVersion?: string
}

/** The bytes of a complete answer. */
export interface ReplyBytes {
  readonly bytes: Buffer
  readonly scan: JsonScan
}

/** A complete answer in the dialect of the request. */
export interface ProviderReply extends ReplyBytes {
  /** Null when the provider reported none. */
  readonly usage: Usage | null
  /**
   * Texts that the model generated, to be counted when usage is missing: content, reasoning, tool names and arguments.
   */
  readonly pieces: readonly string[]
}

/** Why a provider gave no complete answer. */
export interface ProviderFailure {
  readonly kind:
    | 'refused' // the request is wrong; `message` is the provider's and is passed on to the client
    | 'throttled' // 429
    | 'saturated' // every deployment has its maximum number of calls in flight; nothing was sent
    | 'unavailable' // 5xx or no answer; a retry may succeed
    | 'no_room' // the process cannot hold an answer of this size at present; a retry would be paid for twice
    | 'broken' // an answer began but cannot be used; a retry would be paid for twice
    | 'timed_out'
    | 'misconfigured' // the API key or the name of the model is wrong
    | 'aborted' // stopped by the gateway
  readonly message: string
  /** The wrong field and the provider's error code, when it refused the request and named them. */
  readonly param?: string
  readonly code?: string
  /** The status of the provider's answer, if it answered with one. */
  readonly status?: number
  /** The provider's `Retry-After` in milliseconds; null when it sent none. */
  readonly retryAfterMs: number | null
  readonly cause?: unknown
  /** Set when the provider is paid all the same. The client pays it then, because it may have asked for such an answer. */
  readonly spent?: SpentAnswer
}

/** What an answer cost that cannot be used. */
export interface SpentAnswer {
  /** Null when the provider reported none: the prompt is counted. */
  readonly usage: Usage | null
  /** Tokens that are not in the usage, estimated from bytes; may be a fraction. */
  readonly hiddenTokens: number
}

/**
 * Receives the events of one call: either `onReply`, or `onStreamStart`, then `onStreamData` any number of times, then
 * `onStreamEnd`. `onFailure` may come in place of the others or after `onStreamStart`.
 */
export interface ProviderListener {
  onReply(reply: ProviderReply): void
  /**
   * The provider accepted the request: it answered 200 and will stream.
   *
   * @param facts what the bytes of the stream do not show; null when they are the provider's own
   */
  onStreamStart(facts: StreamFacts | null): void
  /** Bytes of an SSE stream in the dialect of the request, cut anywhere. */
  onStreamData(chunk: Buffer): void
  /** The provider closed the stream properly. Only the stream itself shows whether the answer is complete. */
  onStreamEnd(): void
  onFailure(failure: ProviderFailure): void
}

/** An adapter for one provider's API. It translates; it never retries, charges or writes to a client. */
export interface Provider {
  /** The dialects that it answers in. Every chat provider answers in `chat`. */
  readonly dialects: ReadonlySet<Dialect>
  /** @throws never; a wrong request is reported as a failure of kind `refused` */
  start(request: ProviderRequest, listener: ProviderListener): UpstreamCall
}
