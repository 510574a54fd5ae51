import type { UpstreamCall } from '@ratchet/http/upstream-call'
import type { CatalogModel } from '../domain/catalog.ts'
import type { ChatFacts } from '../domain/check-chat-request.ts'
import type { JsonScan } from '../domain/scan-json.ts'
import type { Usage } from '../domain/usage.ts'

/** A chat request as it goes to a provider: the client's own bytes, and what was read of them. */
export interface ProviderChatRequest {
  readonly requestId: string
  readonly model: CatalogModel
  readonly bytes: Buffer
  readonly scan: JsonScan
  readonly facts: ChatFacts
}

/** A whole answer in OpenAI's shape. */
export interface ChatReply {
  readonly bytes: Buffer
  readonly scan: JsonScan
  /** Null when the provider did not say. */
  readonly usage: Usage | null
  /** Characters of generated text, for when usage is missing. */
  readonly generatedCharacters: number
}

/** Why a provider did not give a (whole) answer. */
export interface ProviderFailure {
  readonly kind:
    | 'refused' // the request is at fault; `message` is the provider's and meant for the caller
    | 'throttled' // 429
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
export interface ChatListener {
  onReply(reply: ChatReply): void
  /** Bytes of an SSE stream in OpenAI's shape. */
  onStreamData(chunk: Buffer): void
  /** The provider closed the stream properly; whether the answer is whole, the stream itself tells. */
  onStreamEnd(): void
  onFailure(failure: ProviderFailure): void
}

/** One way of talking to models. Adapters translate; they never retry, bill or write to a client. */
export interface ChatProvider {
  startChat(request: ProviderChatRequest, listener: ChatListener): UpstreamCall
}
