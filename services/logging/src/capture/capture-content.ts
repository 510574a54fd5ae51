import type { RawContent, RawExchange } from '../exchanges/raw-exchange.ts'

/** What is read of the request and the answer of a captured exchange. */
export interface CaptureContent
  extends Pick<RawExchange, 'finishReason' | 'promptTokens' | 'completionTokens' | 'reasoningTokens'> {
  readonly content: RawContent
}

/** The largest value of a Postgres `integer` column. */
const maxCount = 2_147_483_647
const maxNameLength = 64

/** A number of tokens; null for anything else. */
export function readCount(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 ? Math.min(Math.round(value), maxCount) : null
}

/** Removes NUL, which Postgres refuses in texts. */
export function readName(value: unknown): string | null {
  return typeof value === 'string' ? value.replaceAll('\0', '').slice(0, maxNameLength) : null
}
