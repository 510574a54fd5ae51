import { z } from 'zod'
import { RateInterval } from './criteria.ts'
import { EvalPanel } from './eval-panel.ts'
import { EvalDifference } from './eval-question.ts'
import { EvalSegments } from './eval-segments.ts'
import { Interval } from './interval.ts'

const rate = z.number().min(0).max(1)
const count = z.int().min(0)
const usd = z.number().min(0)
const ms = z.number().min(0)

/** The passed and total answers of an assertion. Missing answers do not count. */
export const AssertionResult = z.object({ passed: count, total: count, pass_rate: rate.nullable() })

const ModelFigures = z.object({
  avg_latency_ms: ms.nullable(),
  p95_latency_ms: ms.nullable(),
  p95_latency_ci: Interval.nullable().describe('95 % interval; null for fewer than 72 answers.'),
  cost_usd: usd.describe('Charge for all of its answers, USD.'),
  errors: count.describe('Number of prompts without an answer.'),
  error_rate: rate.nullable(),
  assertions: z.record(z.string(), AssertionResult).describe('By assertion, such as `tool_called:search`.'),
})

export const BaselineReport = ModelFigures.extend({ model: z.string() })
export type BaselineReport = z.infer<typeof BaselineReport>

export const CandidateReport = ModelFigures.extend({
  winRate: rate
    .nullable()
    .describe('Wins and half of the ties, as a share of all samples that were won, lost or tied.'),
  savingsPct: z.number().nullable().describe('Savings in percent of the baseline’s cost for the same prompts.'),
  avgLatencyMs: ms.nullable(),
  win_rate: rate.nullable().describe('Same as `winRate`.'),
  win_rate_ci: RateInterval.nullable().describe(
    '95 % interval that accounts for ties; over clusters when samples share a prompt or a run. With several candidates it is wider, so that it excludes 0.5 exactly when `p_value` is at most 0.05.',
  ),
  wins: count.describe(
    'Number of samples in which it was preferred in both orders, or in which only the baseline gave no answer.',
  ),
  losses: count.describe(
    'Number of samples in which the baseline was preferred, or in which only the candidate gave no answer.',
  ),
  difference: EvalDifference.nullable()
    .optional()
    .describe('Null without judged samples; absent in reports of older versions.'),
  panel: EvalPanel.nullable().optional().describe('Null for a single judge; absent in reports of older versions.'),
  segments: EvalSegments.nullable()
    .optional()
    .describe('Null unless two segments have ten samples each; absent in reports of older versions.'),
  fixed_size_figures: z
    .array(z.string())
    .default([])
    .describe(
      'Figures whose intervals and p-values are those of a fixed number of samples. With `stop_when` they are no proof, because the eval may have ended when they looked best; empty without it.',
    ),
  won_by_error: count.default(0).describe('Number of the wins in which the baseline gave no answer.'),
  lost_by_error: count.default(0).describe('Number of the losses in which the candidate gave no answer.'),
  ties: count.describe('Number of samples without a preferred answer, including the inconsistent ones.'),
  inconsistent: count.describe('Number of samples whose verdicts differed between the orders.'),
  samples_judged: count.describe('Number of samples with a verdict in both orders.'),
  unparseable: count.describe('Number of samples without a valid verdict after a retry. They are not judged.'),
  unjudged: count.describe(
    'Number of samples without a verdict for another reason: one of the two answers is missing, too large or refused.',
  ),
  consistency_rate: rate.nullable(),
  judge_unreliable: z
    .boolean()
    .describe('True when fewer than 60 % of the samples have the same verdict in both orders.'),
  position_bias: z
    .number()
    .min(-1)
    .max(1)
    .nullable()
    .describe('Above 0 the judge favours the answer that is shown first.'),
  position_bias_p: rate.nullable(),
  judge_biased: z
    .boolean()
    .default(false)
    .describe('True when the position bias is at least 0.1 and proven (p < 0.01).'),
  length_diff: z
    .number()
    .nullable()
    .default(null)
    .describe('Mean difference in length, candidate minus baseline, characters as the judge gets them.'),
  length_controlled_win_rate: rate
    .nullable()
    .default(null)
    .describe('Win rate for answers of equal length, from a logistic regression on the difference; null when unknown.'),
  length_controlled_ci: RateInterval.nullable().default(null).describe('95 % interval.'),
  sign_test_p: rate
    .nullable()
    .describe('Exact two-sided sign test that wins and losses are equally likely; null with `stop_when`.'),
  sign_test_p_holm: rate.nullable().describe('Adjusted for the number of candidates.'),
  p_value: rate
    .nullable()
    .default(null)
    .describe(
      'The larger p-value of the sign test and of the interval, adjusted for the number of candidates. It decides `inconclusive`.',
    ),
  inconclusive: z.boolean().describe('True when the interval contains 0.5, which is when `p_value` is above 0.05.'),
  samples_needed: count
    .nullable()
    .describe(
      'Number of further samples without ties after which the interval would exclude 0.5 at this rate; null when it never would.',
    ),
  savings_pct: z.number().nullable().describe('Same as `savingsPct`.'),
  savings_ci: Interval.nullable().describe('95 % interval in percent.'),
  latency_diff_ms: z.number().nullable().describe('Mean difference, candidate minus baseline, over the same prompts.'),
  latency_diff_ci: Interval.nullable(),
  latency_ratio: z.number().nullable().describe('Ratio of the averages over the same prompts.'),
  runs_total: count.describe('Number of agent runs of which every step is known; 0 without `trace_replay`.'),
  runs_clean: count.describe('Number of those without a step that was lost or not answered.'),
})
export type CandidateReport = z.infer<typeof CandidateReport>

/** The results of an eval. */
export const EvalReport = z.object({
  samples_total: count,
  samples_judged: count.describe('Number of samples with a verdict on every candidate.'),
  samples_failed: count.describe('Number of samples that were not finished.'),
  samples_skipped: count
    .optional()
    .describe(
      'Number of samples that were not needed, because `stop_when` ended the eval. They are in no other count.',
    ),
  baseline: BaselineReport,
  candidates: z.record(z.string(), CandidateReport).describe('By the name of the model in the request.'),
  multiplicity: z
    .literal('holm')
    .nullable()
    .describe('Method that adjusts `sign_test_p_holm`; null for one candidate.'),
  smallest_provable: rate.describe('Difference from 0.5 of a win rate that this number of samples can detect.'),
  judges: z
    .array(z.object({ model: z.string(), cost_usd: usd }))
    .optional()
    .describe('The judges with their cost; absent in reports of older versions.'),
  warnings: z.array(z.string()),
})
export type EvalReport = z.infer<typeof EvalReport>
