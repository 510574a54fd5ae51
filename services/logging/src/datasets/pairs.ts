import type { CurateFromEvals, PairCurationSummary } from '@ratchet/contracts/dataset-from-evals'
import type { EvalSample } from '@ratchet/contracts/evals'
import type { z } from 'zod'

/** A better and another answer to the same prompt, as lines of datasets have them. */
export interface Pair {
  readonly input: { readonly messages: readonly object[]; readonly tools?: readonly unknown[] }
  readonly preferred_output: readonly [object]
  readonly non_preferred_output: readonly [object]
}

type DropReason = keyof z.output<typeof PairCurationSummary>['dropped']

export type PairResult =
  | { readonly kind: 'pair'; readonly pair: Pair }
  | { readonly kind: 'dropped'; readonly reason: DropReason }

/** The pair of a finished sample of an eval. A sample that is not won or lost in both orders is a tie. */
export function pairOf(
  { prompt, baseline, candidates, outcomes, orders }: EvalSample,
  candidate: string,
  requested: CurateFromEvals['outcomes'],
): PairResult {
  const outcome = outcomes[candidate]
  if (outcome === undefined || outcome === 'error') return dropped('no_answer')
  const winners = new Set(orders.filter((order) => order.candidate === candidate).map(({ winner }) => winner))
  if (outcome === 'tie') return dropped(winners.size > 1 ? 'inconsistent' : 'tie')
  if (!requested.includes(outcome)) return dropped('other_outcome')
  if (prompt === null) return dropped('deleted')
  const [own, other] = [candidates[candidate], baseline].map(answerOf)
  if (own == null || other == null) return dropped('no_answer')
  const [preferred, rest] = outcome === 'win' ? [own, other] : [other, own]
  const { messages, tools } = prompt
  const input = { messages, ...(tools === null || tools.length === 0 ? {} : { tools }) }
  return { kind: 'pair', pair: { input, preferred_output: [preferred], non_preferred_output: [rest] } }
}

function dropped(reason: DropReason): PairResult {
  return { kind: 'dropped', reason }
}

function answerOf(answer: EvalSample['baseline'] | undefined): object | null {
  if (answer == null) return null
  const { text, tool_calls: calls } = answer
  if (text === null && calls === null) return null
  return { role: 'assistant', content: text, ...(calls === null || calls.length === 0 ? {} : { tool_calls: calls }) }
}
