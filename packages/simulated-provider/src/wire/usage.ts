import type { Behaviour } from '../behaviour.ts'
import type { Fields } from './read-fields.ts'
import type { Call } from './reply.ts'
import type { TokenCounts } from './token-counts.ts'

/** The counts of a reply; `call` is null when no behaviour can change them. */
export function usageOf(prompt: number, completion: number, call: Call | null): TokenCounts {
  const behaviour = call?.behaviour
  const cached = behaviour?.kind === 'cached' ? Math.min(behaviour.tokens, prompt) : 0
  const room = Math.max((call?.model.maxOutputTokens ?? 0) - completion, 0)
  const reasons = behaviour?.kind === 'reasoning' || behaviour?.kind === 'late'
  const reasoning = reasons ? Math.min(behaviour.tokens, room) : 0
  return { prompt, completion: completion + reasoning, cached, reasoning }
}

/** Tokens of reasoning that the answer shows. */
export function shownReasoning({ reasoning }: TokenCounts, behaviour: Behaviour | null): number {
  return behaviour?.kind === 'late' ? 0 : reasoning
}

/** The usage as it is before the first token, for a model that reports no other; null for any other model. */
export function earlyUsage(usage: TokenCounts, behaviour: Behaviour | null): TokenCounts | null {
  return behaviour?.kind === 'early-usage'
    ? { ...usage, completion: Math.min(usage.completion, 1), reasoning: 0 }
    : null
}

/** The usage that a model with a defect reports; null for none. */
export function reportedUsage(usage: TokenCounts, behaviour: Behaviour | null): TokenCounts | null {
  if (behaviour?.kind === 'no-usage') return null
  return behaviour?.kind === 'zero-usage' ? { prompt: 0, completion: 0, cached: 0, reasoning: 0 } : usage
}

/** The `usage` object of chat completions. */
export function chatUsage(usage: TokenCounts) {
  return {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    total_tokens: usage.prompt + usage.completion,
    prompt_tokens_details: { cached_tokens: usage.cached, cache_write_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

/** The `usage` object of responses. */
export function responseUsage(usage: TokenCounts) {
  return {
    input_tokens: usage.prompt,
    input_tokens_details: { cached_tokens: usage.cached, cache_write_tokens: 0 },
    output_tokens: usage.completion,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.prompt + usage.completion,
  }
}

/** The service tier that answers: the requested one, apart from `auto`. */
export function servedTier({ service_tier: tier }: Fields): string {
  return tier === 'priority' || tier === 'flex' ? tier : 'default'
}
