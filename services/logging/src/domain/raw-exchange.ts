import type { ExchangeContent, LoggedExchange } from './logged-exchange.ts'

/** The content of an exchange as JSON values, before anything was redacted. */
export interface RawContent {
  readonly messages: readonly unknown[]
  /** The assistant's message. */
  readonly response: Readonly<Record<string, unknown>>
  /** Null for none. */
  readonly tools: unknown
  /** Null for none. */
  readonly responseFormat: unknown
  /** Sampling parameters of the request that were set. */
  readonly params: Readonly<Record<string, unknown>>
}

/** What is found out about an exchange when it is stored. */
type FoundOut =
  | 'segment'
  | 'segmentExact'
  | 'hasToolCalls'
  | 'redactionCount'
  | 'redactionKinds'
  | 'sizeBytes'
  | 'promptHash'

/** An exchange as it came, whatever the way: nothing of it is stored like this. */
export interface RawExchange extends Omit<LoggedExchange, FoundOut> {
  readonly content: RawContent
}

/** Redacted and measured; its segment is known once the families of its workspace are at hand. */
export interface UnsegmentedExchange extends Omit<LoggedExchange, 'segment' | 'segmentExact'> {
  readonly content: ExchangeContent
  /** Redacted like everything else; empty for none. */
  readonly systemPrompt: string
}
