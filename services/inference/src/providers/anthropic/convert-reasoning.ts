import type { CatalogModel } from '../../catalog/catalog.ts'
import { asObject, type Fields } from '../../wire/chat/chat-chunk.ts'
import type { Body } from '../../wire/dialect.ts'
import { invalid, unsupported } from '../../wire/refusal.ts'
import { beganWithThought } from './thinking-history.ts'

export interface Reasoning {
  readonly thinking: Fields | null
  readonly effort: string | null
}

/** OpenAI's efforts and Anthropic's `output_config.effort`; it has nothing below `low`. */
const efforts: ReadonlyMap<unknown, string> = new Map([
  ['minimal', 'low'],
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['xhigh', 'xhigh'],
  ['max', 'max'],
])

/** The share of the answer's limit that may be thinking, for models that only take a budget. */
const shares: ReadonlyMap<unknown, number> = new Map([
  ['minimal', 0.1],
  ['low', 0.2],
  ['medium', 0.5],
  ['high', 0.8],
  ['xhigh', 0.9],
  ['max', 0.95],
])

/** The least budget that Anthropic takes. */
const leastBudget = 1_024

interface Asked {
  readonly model: CatalogModel
  readonly body: Body
  /** The limit of the whole answer, thinking included. */
  readonly maxTokens: unknown
  /** The conversation so far, in Anthropic's words. */
  readonly messages: readonly unknown[]
}

/**
 * How much a model is to think. Models with the capability `adaptive_thinking` decide by an effort, earlier ones get a
 * budget of tokens, but none where the conversation does not let them think.
 *
 * @throws Refusal for an effort that is none, or that leaves no room for an answer
 */
export function convertReasoning(asked: Asked): Reasoning {
  const { thinking, effort } = requestedReasoning(asked)
  if (thinking?.type !== 'enabled' || beganWithThought(asked.messages)) return { thinking, effort }
  return { thinking: null, effort }
}

function requestedReasoning({ model, body, maxTokens }: Asked): Reasoning {
  const effort = body.reasoning_effort ?? null
  const own = asObject(body.thinking ?? null)
  if (own === null && (body.thinking ?? null) !== null) throw invalid('thinking', 'must be an object')
  if (effort === null) return { thinking: own, effort: null }
  if (own !== null) throw invalid('thinking', 'cannot be combined with reasoning_effort')
  const isAdaptive = model.capabilities.includes('adaptive_thinking')
  if (effort === 'none') return { thinking: isAdaptive ? { type: 'disabled' } : null, effort: null }
  const requested = efforts.get(effort)
  if (requested === undefined) {
    throw invalid('reasoning_effort', 'must be none, minimal, low, medium, high, xhigh or max')
  }
  if (isAdaptive) return { thinking: { type: 'adaptive' }, effort: requested }
  return { thinking: { type: 'enabled', budget_tokens: budgetOf(shares.get(effort) ?? 0, maxTokens) }, effort: null }
}

function budgetOf(share: number, maxTokens: unknown): number {
  if (typeof maxTokens !== 'number' || maxTokens <= leastBudget) {
    throw unsupported('reasoning_effort', `thinking needs a token limit above ${leastBudget}`)
  }
  return Math.max(leastBudget, Math.floor(maxTokens * share))
}
