import type { ExchangeKey } from '../exchange-reads.ts'
import type { LoggedExchange } from '../logged-exchange.ts'

/** What curation reads of an exchange beside its content. */
export type CuratedRow = ExchangeKey &
  Pick<LoggedExchange, 'createdAt' | 'traceId' | 'conversationId' | 'finishReason' | 'segment'>

/** Content as parsed JSON of any shape: imports and traces bring it too. */
export interface ParsedContent {
  readonly messages: unknown
  readonly response: unknown
  readonly tools: unknown
}

/** An exchange of the log as curation reads it. */
export interface StoredExchange extends CuratedRow, ParsedContent {}

export interface Message {
  readonly [member: string]: unknown
  readonly role: string
}

/** The messages of a prompt, or null for what are none. */
export function readMessages(value: unknown): readonly Message[] | null {
  return Array.isArray(value) && value.every(isMessage) ? value : null
}

export function isMessage(value: unknown): value is Message {
  return isRecord(value) && typeof value.role === 'string'
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
