import { isObject } from '@ratchet/service-kit/values/json'
import type { ExchangeKey } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'

/** The columns of an exchange that curation reads beside its content. */
export type CuratedRow = ExchangeKey & Pick<LoggedExchange, 'traceId' | 'conversationId' | 'finishReason' | 'segment'>

/** Content as parsed JSON, which can have any shape because imports and traces are not validated. */
export interface ParsedContent {
  readonly messages: unknown
  readonly response: unknown
  readonly tools: unknown
}

/** An exchange of the log with the members that curation reads. */
export interface StoredExchange extends CuratedRow, ParsedContent {}

export interface Message {
  readonly [member: string]: unknown
  readonly role: string
}

/** The messages of a prompt; null when the value is not a list of messages. */
export function readMessages(value: unknown): readonly Message[] | null {
  return Array.isArray(value) && value.every(isMessage) ? value : null
}

export function isMessage(value: unknown): value is Message {
  return isObject(value) && typeof value.role === 'string'
}
