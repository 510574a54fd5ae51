import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { decimalNumber, flag, wholeNumber } from './query-values.ts'
import { storable } from './storable.ts'

const value = z.union([z.number(), z.boolean(), z.string()])

/** A row of the table of checks; what was not measured did not pass. */
export const GateCheck = z.object({
  name: z.string().describe('As in the query.'),
  operator: z.enum(['>=', '<=', '==']),
  threshold: value,
  observed: value.nullable(),
  ci: z.tuple([z.number(), z.number()]).nullable(),
  passed: z.boolean(),
})
export type GateCheck = z.infer<typeof GateCheck>

const rate = decimalNumber({ min: 0, max: 1 })
const percent = decimalNumber({ min: -1_000_000, max: 100 })
const amount = decimalNumber({ min: 0, max: 1_000_000_000 })

export const gateChecks = {
  min_win_rate: rate.optional(),
  min_win_rate_lower: rate.describe('Of the low end of the interval.').optional(),
  max_loss_rate: rate.describe('Losses of all judged samples.').optional(),
  min_savings_pct: percent.optional(),
  max_avg_latency_ms: amount.optional(),
  max_p95_latency_ms: amount.optional(),
  max_latency_ratio: amount.describe('Average of the candidate by that of the baseline.').optional(),
  max_error_rate: rate.optional(),
  min_samples: wholeNumber({ min: 0, max: 1_000_000 }).describe('Judged.').optional(),
  require_conclusive: flag.describe('The interval must not hold 0.5; true unless it is said to be false.').optional(),
  min_runs_clean_pct: decimalNumber({ min: 0, max: 100 })
    .describe('Of agent runs, percent without a lost step.')
    .optional(),
  min_assertion_pass_rate: rate.describe('Of every assertion.').optional(),
  require_trust: z.literal('trustworthy').describe('Of the judge, as it was when the eval began.').optional(),
}

export const GateQuery = z.strictObject({
  candidate: storable(z.string().min(1).max(200)).describe('Needed where there are several.').optional(),
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

/** `details` of the refusal. */
export const GateRefusal = z.object({
  eval_status: z.string(),
  candidate: z.string().nullable(),
  checks: z.array(GateCheck),
})
export type GateRefusal = z.infer<typeof GateRefusal>

export const gateEval = endpoint({
  method: 'get',
  path: '/v1/evals/:id/gate',
  summary: 'Check whether a candidate is proven.',
  description:
    'Passes when every check that is asked for holds; at least one has to be asked for. 412 when one does not, with the table of all checks in `error.details`, and while the eval is not DONE.',
  service: 'eval',
  params: z.strictObject({ id: z.string() }),
  query: GateQuery,
  reply: EvalGate,
  errors: ['no_checks', 'not_found', 'precondition_failed', 'unknown_parameter'],
})
