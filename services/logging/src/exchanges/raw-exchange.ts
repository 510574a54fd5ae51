import type { ExchangeContent, LoggedExchange } from './logged-exchange.ts'

/** The content of an exchange as JSON values, before anything was redacted. */
export interface RawContent {
  readonly messages: readonly unknown[]
  /** The assistant's message. */
  readonly response: Readonly<Record<string, unknown>>
  /** Null when there are none. */
  readonly tools: unknown
  /** Null when there is none. */
  readonly responseFormat: unknown
  /** Sampling parameters of the request that were set. */
  readonly params: Readonly<Record<string, unknown>>
}

/** Members that are computed while an exchange is redacted and stored. */
type ComputedMember =
  | 'segment'
  | 'segmentExact'
  | 'hasToolCalls'
  | 'redactionCount'
  | 'redactionKinds'
  | 'sizeBytes'
  | 'promptHash'

/** An exchange before redaction, from any source. It must not be stored in this form. */
export interface RawExchange extends Omit<LoggedExchange, ComputedMember> {
  readonly content: RawContent
}

/** A redacted exchange; its segment is found when it is stored, with the families of its workspace. */
export interface UnsegmentedExchange extends Omit<LoggedExchange, 'segment' | 'segmentExact'> {
  readonly content: ExchangeContent
  /** Redacted like the content; empty when there is none. */
  readonly systemPrompt: string
  /** What `exchangeWords` returns, of the redacted content. */
  readonly words: BigInt64Array
}
