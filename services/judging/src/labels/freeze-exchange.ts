import { createHash } from 'node:crypto'
import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'
import { canonicalJson } from './canonical-json.ts'

/** What was graded, as it is stored: once, however many grades there are of it. */
export interface FrozenExchange {
  readonly sha256: string
  /** JSON texts. */
  readonly messages: string
  readonly response: string
  readonly tools: string | null
  readonly model: string | null
}

/**
 * Freezes what is graded. What says the same has the same hash, in whatever order its fields came.
 *
 * @throws RangeError for content that is nested too deeply to be written
 */
export function freezeExchange({ messages, response, tools, model }: JudgedExchange): FrozenExchange {
  return {
    sha256: createHash('sha256')
      .update(canonicalJson([messages, response, tools, model]))
      .digest('hex'),
    messages: JSON.stringify(messages),
    response: JSON.stringify(response),
    tools: tools === null ? null : JSON.stringify(tools),
    model,
  }
}
