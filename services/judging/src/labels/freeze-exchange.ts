import { createHash } from 'node:crypto'
import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'
import { canonicalJson } from './canonical-json.ts'

/** The graded exchange as it is stored: one row, however many grades it has. */
export interface FrozenExchange {
  readonly sha256: string
  /** JSON, like `response` and `tools`. */
  readonly messages: string
  readonly response: string
  readonly tools: string | null
  readonly model: string | null
}

/**
 * Makes the stored form of an exchange. Equal exchanges have the same hash, whatever the order of their fields.
 *
 * @throws RangeError for content that is nested too deeply
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
