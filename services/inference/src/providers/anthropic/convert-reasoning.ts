import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { CatalogModel } from '../../catalog/catalog.ts'
import type { Body } from '../../wire/dialect.ts'
import { invalid, unsupported } from '../../wire/refusal.ts'
import { beganWithThought } from './thinking-history.ts'

export interface Reasoning {
  readonly thinking: Fields | null
  readonly effort: string | null
}

/** Anthropic's `output_config.effort` for each effort of OpenAI. It has nothing below `low`. */
const efforts: ReadonlyMap<unknown, string> = new Map([
  ['minimal', 'low'],
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['xhigh', 'xhigh'],
  ['max', 'max'],
])

/** The share of the token limit that may be thinking, for models that accept only a budget. */
const shares: ReadonlyMap<unknown, number> = new Map([
  ['minimal', 0.1],
  ['low', 0.2],
  ['medium', 0.5],
  ['high', 0.8],
  ['xhigh', 0.9],
  ['max', 0.95],
])

/** The smallest budget that Anthropic accepts. */
const leastBudget = 1_024

interface ReasoningRequest {
  readonly model: CatalogModel
  readonly body: Body
  /** The token limit of the whole answer, including thinking. */
  readonly maxTokens: unknown
  /** The conversation so far, in Anthropic's form. */
  readonly messages: readonly unknown[]
}

/**
 * The thinking settings of a request. Models with the capability `adaptive_thinking` get an effort. Earlier models get
 * a budget of tokens, or none where the conversation does not allow thinking.
 *
 * @throws Refusal for an invalid effort, or for one that leaves no room for an answer
 */
export function convertReasoning(request: ReasoningRequest): Reasoning {
  const { thinking, effort } = requestedReasoning(request)
  if (thinking?.type !== 'enabled' || beganWithThought(request.messages)) return { thinking, effort }
  return { thinking: null, effort }
}

function requestedReasoning({ model, body, maxTokens }: ReasoningRequest): Reasoning {
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
