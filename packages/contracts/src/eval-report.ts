import { z } from 'zod'
import { RateInterval } from './criteria.ts'

const rate = z.number().min(0).max(1)
const count = z.int().min(0)
const usd = z.number().min(0)
/** Low and high end of a 95 % interval of what may be below 0 too. */
const Interval = z.tuple([z.number(), z.number()])
const ms = z.number().min(0)

/** How often an assertion held, of the answers that came. */
const AssertionResult = z.object({ passed: count, total: count, pass_rate: rate.nullable() })

const ModelFigures = z.object({
  avg_latency_ms: ms.nullable(),
  p95_latency_ms: ms.nullable(),
  p95_latency_ci: Interval.nullable().describe('95 %; null for fewer than 72 answers.'),
  cost_usd: usd.describe('Billed.'),
  errors: count.describe('Prompts that got no answer.'),
  error_rate: rate.nullable(),
  assertions: z.record(z.string(), AssertionResult).describe('By assertion, such as `tool_called:search`.'),
})

export const BaselineReport = ModelFigures.extend({ model: z.string() })
export type BaselineReport = z.infer<typeof BaselineReport>

export const CandidateReport = ModelFigures.extend({
  winRate: rate.nullable().describe('Wins and half of the ties, of all judged samples.'),
  savingsPct: z.number().nullable().describe('Of the baseline’s billed cost on the same prompts, percent.'),
  avgLatencyMs: ms.nullable(),
  win_rate: rate.nullable().describe('The same as `winRate`.'),
  win_rate_ci: RateInterval.nullable().describe(
    '95 %, knows of ties; of clusters where samples share a prompt or run.',
  ),
  wins: count.describe('Preferred in both orders.'),
  losses: count,
  ties: count.describe('Inconsistent ones among them.'),
  inconsistent: count.describe('Another verdict in the other order.'),
  samples_judged: count,
  unparseable: count.describe('Without a verdict after a second try; not judged.'),
  unjudged: count.describe('No verdict for another reason: no answer of one of the two, too large, or refused.'),
  consistency_rate: rate.nullable(),
  judge_unreliable: z.boolean().describe('Consistent in fewer than 60 %.'),
  position_bias: z.number().min(-1).max(1).nullable().describe('Above 0 the judge favours what it is shown first.'),
  position_bias_p: rate.nullable(),
  sign_test_p: rate.nullable().describe('Exact, two-sided, that wins and losses are equally likely.'),
  sign_test_p_holm: rate.nullable().describe('Adjusted for the number of candidates.'),
  inconclusive: z.boolean().describe('The interval holds 0.5.'),
  samples_needed: count
    .nullable()
    .describe('Samples without ties until it would not, at this rate; null when it does not.'),
  savings_pct: z.number().nullable().describe('The same as `savingsPct`.'),
  savings_ci: Interval.nullable().describe('95 %, percent.'),
  latency_diff_ms: z.number().nullable().describe('Mean of candidate less baseline on the same prompts.'),
  latency_diff_ci: Interval.nullable(),
  latency_ratio: z.number().nullable().describe('Of the averages over the same prompts.'),
  runs_total: count.describe('Agent runs of which every step is known; 0 without `trace_replay`.'),
  runs_clean: count.describe('Of them, those without a step that was lost or not answered.'),
})
export type CandidateReport = z.infer<typeof CandidateReport>

/** What an eval found. */
export const EvalReport = z.object({
  samples_total: count,
  samples_judged: count.describe('With a verdict on every candidate.'),
  samples_failed: count.describe('Samples that were not done to their end.'),
  baseline: BaselineReport,
  candidates: z.record(z.string(), CandidateReport).describe('By the model’s name as it was asked for.'),
  multiplicity: z.literal('holm').nullable().describe('How `sign_test_p_holm` is adjusted; null for one candidate.'),
  smallest_provable: rate.describe('A win rate this far from 0.5 can be told from it with so many samples.'),
  warnings: z.array(z.string()),
})
export type EvalReport = z.infer<typeof EvalReport>
