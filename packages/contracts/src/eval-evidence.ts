import { z } from 'zod'

/** Why an eval is no evidence, whatever its win rate. */
export const evidenceProblems = [
  'judge_unmeasured',
  'judge_untrusted',
  'judge_cannot_act',
  'judge_unreliable',
  'judge_biased',
  'too_few_samples',
] as const
export const EvidenceProblem = z.enum(evidenceProblems)
export type EvidenceProblem = z.infer<typeof EvidenceProblem>

const rate = z.number().min(0).max(1)

/** A candidate whose win rate is at least that high is proven to be no worse than the baseline. */
export const provenWinRate = 0.5

/** What an eval proves about a candidate, after corrections for earlier evals and for missing verdicts. */
const evidence = {
  problems: z.array(EvidenceProblem).describe('Why the eval is no evidence, whatever its win rate; empty when it is.'),
  judge_cannot_act_reason: z
    .string()
    .nullable()
    .default(null)
    .describe('What the judge lacked when the eval was created; null when it could act.'),
  attempt: z.int().describe('Number of this eval among those of the two models in the 30 days before it, from 1.'),
  level: z.number().describe('One-sided error rate of this attempt, which its candidates share.'),
  prompt_uses: z.number().min(0).describe('Average number of earlier comparisons on the prompts of this eval.'),
  win_rate_low: z
    .number()
    .nullable()
    .describe('Lower bound of the win rate at that level; null when nothing is proven.'),
  win_rate_low_if_fresh: z.number().nullable().describe('The bound if no earlier eval had used the prompts.'),
  prompts_needed: z
    .int()
    .nullable()
    .describe('Fresh prompts after which the next attempt would prove 0.5 at this rate.'),
  samples_judged: z.int().describe('Number of samples with a verdict on this candidate.'),
}

/** What blind preferences of people prove about a candidate, whatever the judge is worth. */
const PeopleEvidence = z.object({
  problems: z.array(z.literal('too_few_samples')).describe('Empty when the preferences are evidence.'),
  compared: z
    .int()
    .describe('Samples that count: in the order of the draw, up to the first one that nobody has compared blind.'),
  compared_by: z
    .array(z.string())
    .default([])
    .describe('Ids of the users who sent the preferences that count; those of earlier releases did not store it.'),
  attempt: z
    .int()
    .describe('Number of this comparison among the evals and comparisons by people of the two models, from 1.'),
  level: z.number().describe('One-sided error rate of this attempt, which the candidates share.'),
  win_rate: rate.nullable(),
  win_rate_low: z
    .number()
    .nullable()
    .describe('Lower bound of the win rate at that level, however often it was read; null when nothing is proven.'),
})
export type PeopleEvidence = z.infer<typeof PeopleEvidence>

const people = PeopleEvidence.nullable()
  .default(null)
  .describe('What blind preferences of people prove; null before the first one.')

/** The evidence as the alias service reads it. */
export const WeighedEvidence = z.object({
  ...evidence,
  people,
  sample_count: z.int().describe('Number of samples that was registered when the eval was created.'),
  seed: z.int().describe('The registered seed, which decides which prompts are selected.'),
})
export type WeighedEvidence = z.infer<typeof WeighedEvidence>

/** A number of earlier comparisons, and the bound that the same results would have after them. */
const WearPoint = z.object({
  prompt_uses: z.number().min(0),
  win_rate_low: z.number().nullable().describe('Null when so many comparisons leave no proof.'),
})

/** The evidence of an eval for one candidate, and how far earlier evals have used it up. */
export const EvalEvidence = z.object({
  ...evidence,
  people,
  used_up: rate.describe(
    'Share of the prompts that earlier comparisons have used up: the eval proves as much as fresh prompts of `1 - used_up` times their number would.',
  ),
  is_exhausted: z
    .boolean()
    .describe(
      'True when fresh prompts would have proven a win rate of 0.5 with these results, and these prompts do not.',
    ),
  prompt_uses_max: z
    .int()
    .min(0)
    .nullable()
    .describe('Most earlier comparisons after which these results would still prove a win rate of 0.5; null for none.'),
  wear: z.array(WearPoint).describe('How these results would wear out, by number of earlier comparisons, from 0.'),
})
export type EvalEvidence = z.infer<typeof EvalEvidence>

/** Field of an eval. */
export const evidenceField = {
  evidence: z
    .record(z.string(), EvalEvidence)
    .nullable()
    .default(null)
    .describe(
      'By candidate, what the eval proves to the evidence policy of an alias, and how far earlier evals on the same prompts have used it up; null in lists, and unless the eval is DONE.',
    ),
}
