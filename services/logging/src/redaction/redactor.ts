import type { CapturedExchange } from '@ratchet/contracts/captured-exchange'
import type { RawExchange, UnsegmentedExchange } from '../exchanges/raw-exchange.ts'
import type { Redaction } from './redact-exchange.ts'

/** A captured exchange and the id of its future row. */
export interface IdentifiedCapture {
  readonly id: string
  readonly captured: CapturedExchange
}

/** Bytes of request and answer. */
export function sizeOfCapture({ captured }: IdentifiedCapture): number {
  return captured.request.length + captured.reply.length
}

/** An exchange with its content as JSON text, because text costs least to pass to a thread. */
export interface WrittenExchange {
  readonly known: Omit<RawExchange, 'content'>
  /** JSON of a `RawContent`. */
  readonly content: string
}

/** The texts of a span that is not an exchange. */
export interface SpanTexts {
  readonly name: string
  readonly kind: string
  /** JSON of an object. */
  readonly attributes: string
}

export interface RedactedExample {
  /** JSON; null when nothing was redacted, so that the input can be used unchanged. */
  readonly text: string | null
  readonly redaction: Redaction
}

/** The outcome for one item. Redaction fails for good when the item is unreadable or crashes the thread. */
export type Redacted<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly reason: string }

/**
 * Redacts items before they are stored. Every storage path uses it. Results have the order of the items. Workspaces take turns;
 * captures, which may be of several, have turns of their own.
 */
export interface Redactor {
  /** @throws Error when the outcome is unknown: retry with all of them later */
  captures(captures: readonly IdentifiedCapture[]): Promise<readonly Redacted<UnsegmentedExchange>[]>
  /** @throws Error likewise */
  exchanges(
    workspaceId: string,
    exchanges: readonly WrittenExchange[],
  ): Promise<readonly Redacted<UnsegmentedExchange>[]>
  /** @throws Error likewise */
  spans(workspaceId: string, spans: readonly SpanTexts[]): Promise<readonly Redacted<SpanTexts>[]>
  /** Redacts training examples, each a JSON text. @throws Error likewise */
  examples(workspaceId: string, examples: readonly string[]): Promise<readonly Redacted<RedactedExample>[]>
}
