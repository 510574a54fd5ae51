import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { Interval } from './interval.ts'
import { decimalNumber, flag, wholeNumber } from './query-values.ts'
import { storable } from './storable.ts'

const value = z.union([z.number(), z.boolean(), z.string()])

/** One check of the gate. A figure that was not measured does not pass. */
export const GateCheck = z.object({
  name: z.string().describe('Name of the query parameter.'),
  operator: z.enum(['>=', '<=', '==']),
  threshold: value,
  observed: value.nullable(),
  ci: Interval.nullable(),
  passed: z.boolean(),
})
export type GateCheck = z.infer<typeof GateCheck>

const rate = decimalNumber({ min: 0, max: 1 })
const percent = decimalNumber({ min: -1_000_000, max: 100 })
const amount = decimalNumber({ min: 0, max: 1_000_000_000 })

export const gateChecks = {
  min_win_rate: rate.optional(),
  min_win_rate_lower: rate.describe("Minimum for the lower bound of the win rate's interval.").optional(),
  min_evidence_lower: rate
    .describe(
      "Minimum for the lower bound of the win rate as evidence for an alias: corrected for repeated evals and used prompts, with missing verdicts as losses. Of a judge that could act when the eval was created, or of people's blind preferences. Unlike a change of an alias, it does not check again whether the judge has drifted since.",
    )
    .optional(),
  max_worse_by: rate
    .describe('Maximum share of losses minus wins that the interval of the difference leaves possible.')
    .optional(),
  max_loss_rate: rate.describe('Maximum share of losses among the judged samples.').optional(),
  min_savings_pct: percent.optional(),
  max_avg_latency_ms: amount.optional(),
  max_p95_latency_ms: amount.optional(),
  max_latency_ratio: amount
    .describe('Maximum ratio of the average latency of the candidate to that of the baseline.')
    .optional(),
  max_error_rate: rate.optional(),
  min_samples: wholeNumber({ min: 0, max: 1_000_000 }).describe('Minimum number of judged samples.').optional(),
  require_conclusive: flag
    .describe(
      'Requires that the interval excludes 0.5, or with the question `not_worse` that it is answered; true by default.',
    )
    .optional(),
  require_reliable_judge: flag
    .describe('Requires a judge that is neither `judge_unreliable` nor `judge_biased`; true by default.')
    .optional(),
  require_measured_judge: flag
    .describe(
      'Requires a criterion that was `trustworthy` or `under-measured` when the eval began, by grades of drawn items; true by default.',
    )
    .optional(),
  min_runs_clean_pct: decimalNumber({ min: 0, max: 100 })
    .describe('Minimum percentage of agent runs without a lost step.')
    .optional(),
  min_assertion_pass_rate: rate.describe('Minimum pass rate of every assertion.').optional(),
  require_trust: z
    .literal('trustworthy')
    .describe(
      'Requires a judge that was trustworthy and could act (`can_act`) when the eval began; observed is its trust, or `cannot_act`.',
    )
    .optional(),
}

/**
 * Checks that are on unless they are switched off. Those of the judge are on while a check reads its verdicts; latencies,
 * costs, errors and assertions need no judge.
 */
export const defaultChecks = ['require_conclusive', 'require_reliable_judge', 'require_measured_judge'] as const
export const checksOfVerdicts = [
  'min_win_rate',
  'min_win_rate_lower',
  'max_worse_by',
  'max_loss_rate',
  'require_conclusive',
  'min_runs_clean_pct',
] as const

export const GateQuery = z.strictObject({
  candidate: storable(z.string().min(1).max(200)).describe('Required when the eval has several candidates.').optional(),
  ...gateChecks,
})
export type GateQuery = z.output<typeof GateQuery>

export const EvalGate = z.object({
  object: z.literal('eval.gate'),
  eval_id: z.string(),
  candidate: z.string(),
  passed: z.literal(true),
  checks: z.array(GateCheck),
})
export type EvalGate = z.infer<typeof EvalGate>

/** The `details` of the refusal. */
export const GateRefusal = z.object({
  eval_status: z.string(),
  candidate: z.string().nullable(),
  checks: z.array(GateCheck),
})
export type GateRefusal = z.infer<typeof GateRefusal>

export const gateEval = endpoint({
  method: 'get',
  path: '/v1/evals/:id/gate',
  summary: 'Check a candidate against thresholds.',
  description:
    'Passes when every given check holds; at least one must be given. `require_conclusive` is checked unless it is switched off, and so are the checks of the judge when a check reads verdicts. Otherwise, and while the eval is not DONE, the answer is 412 with all checks in `error.details`.',
  service: 'eval',
  permission: 'any',
  params: z.strictObject({ id: z.string() }),
  query: GateQuery,
  reply: EvalGate,
  errors: ['no_checks', 'not_found', 'precondition_failed', 'unknown_parameter'],
})
