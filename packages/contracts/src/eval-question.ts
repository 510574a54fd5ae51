import { z } from 'zod'
import { Interval } from './interval.ts'

/** What an eval is to prove about each candidate. */
export const EvalQuestion = z.enum(['better', 'not_worse'])
export type EvalQuestion = z.infer<typeof EvalQuestion>

/** What the interval of the difference proves. `worse` means worse than the baseline, or by more than the margin. */
export const EvalVerdict = z.enum(['better', 'not_worse', 'worse', 'inconclusive'])
export type EvalVerdict = z.infer<typeof EvalVerdict>

/** The fields of an eval that say what it is to prove, and when it may stop. */
export const questionFields = {
  question: EvalQuestion.optional().describe(
    '`better` by default. `not_worse`: the candidate loses at most `margin` more often than it wins.',
  ),
  margin: z
    .number()
    .gt(0)
    .max(0.5)
    .nullish()
    .describe('Share of losses minus wins that `not_worse` tolerates, such as 0.03; required with it.'),
  stop_when: z
    .literal('conclusive')
    .nullish()
    .describe(
      'Stops as soon as the question is answered for every candidate. Requires one repetition. All intervals are then anytime-valid, so they are wider than those of a fixed number of samples. As evidence for an alias it counts by the sequence, of at least 50 prompts.',
    ),
}

/** Difference between a candidate and the baseline, with what it proves. */
export const EvalDifference = z.object({
  value: z.number().min(-1).max(1).describe('Share of wins minus share of losses.'),
  ci: Interval.describe(
    '95 % interval. A model that gives no answer where the other one does loses; samples without both answers are not counted.',
  ),
  method: z
    .enum(['score_interval', 'confidence_sequence'])
    .describe(
      'Tango’s score interval for a fixed number of samples, or an anytime-valid confidence sequence, which all candidates share the error rate of.',
    ),
  samples: z.int().describe('Number of samples that it counts.'),
  question: EvalQuestion,
  margin: z.number().nullable(),
  verdict: EvalVerdict.describe('`inconclusive` also below 20 samples, or below 50 prompts or runs with a sequence.'),
})
export type EvalDifference = z.infer<typeof EvalDifference>

/** Results of an eval that still runs. */
export const EvalInterim = z.object({
  samples: z.int().describe('Number of samples that are finished without a gap, in the order of the draw.'),
  candidates: z
    .record(z.string(), EvalDifference.nullable())
    .describe('By the name of the model. Anytime-valid, however often it is read.'),
})
export type EvalInterim = z.infer<typeof EvalInterim>

/** Field of an eval. */
export const interimField = {
  interim: EvalInterim.nullable()
    .default(null)
    .describe('Results so far; null in lists, and unless the eval is RUNNING.'),
}
