import type { CapturedExchange } from '@ratchet/contracts/captured-exchange'
import type { RawExchange, UnsegmentedExchange } from './raw-exchange.ts'
import type { Redaction } from './redact/redact-exchange.ts'

/** A captured exchange and the id of the row that it becomes. */
export interface CapturedRow {
  readonly id: string
  readonly captured: CapturedExchange
}

/** An exchange whose content is still JSON: text is what threads hand over at the least cost. */
export interface WrittenExchange {
  readonly known: Omit<RawExchange, 'content'>
  /** A RawContent. */
  readonly content: string
}

/** The texts of a span that is no exchange. */
export interface SpanTexts {
  readonly name: string
  readonly kind: string
  /** JSON of an object. */
  readonly attributes: string
}

export interface RedactedExample {
  /** JSON; null where nothing was found, and what was given stays as it is. */
  readonly text: string | null
  readonly redaction: Redaction
}

/** What became of one thing: some can never be redacted, because they cannot be read or end whoever tries. */
export type Redacted<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly reason: string }

/** Every storage path's way to redaction: texts in, what may be stored out, in the same order. */
export interface Redactor {
  /** @throws Error when nothing is certain: give all of them again later */
  captures(rows: readonly CapturedRow[]): Promise<readonly Redacted<UnsegmentedExchange>[]>
  /** @throws Error likewise */
  exchanges(exchanges: readonly WrittenExchange[]): Promise<readonly Redacted<UnsegmentedExchange>[]>
  /** @throws Error likewise */
  spans(spans: readonly SpanTexts[]): Promise<readonly Redacted<SpanTexts>[]>
  /** Of training examples as JSON. @throws Error likewise */
  examples(examples: readonly string[]): Promise<readonly Redacted<RedactedExample>[]>
}
