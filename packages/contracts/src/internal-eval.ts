import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { moment } from './query-values.ts'

/** For the setup status; the edge does not forward to it. */
export const evalProgress = endpoint({
  method: 'get',
  path: '/internal/eval/progress',
  summary: 'Count the evals of a workspace.',
  description: 'For the setup status.',
  service: 'eval',
  audience: 'internal',
  callers: ['logging'],
  reply: z.object({ evals: z.int().describe('Number of evals that are DONE.') }),
})

/** For the deletion of datasets; the edge does not forward to it. */
export const datasetReaders = endpoint({
  method: 'get',
  path: '/internal/eval/dataset-readers',
  summary: 'Count the evals that still have to read a dataset.',
  description: 'An eval reads its dataset when it begins, and never again.',
  service: 'eval',
  audience: 'internal',
  callers: ['logging'],
  query: z.strictObject({ dataset_id: z.string() }),
  reply: z.object({ evals: z.int().describe('Number of evals that are PENDING and take their prompts from it.') }),
})

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

/** What an eval proves about a candidate, after corrections for earlier evals and for missing verdicts. */
export const WeighedEvidence = z.object({
  problems: z.array(EvidenceProblem),
  judge_cannot_act_reason: z
    .string()
    .nullable()
    .default(null)
    .describe('What the judge lacked when the eval was created; null when it could act.'),
  attempt: z.int().describe('Number of this eval among those of the two models in the 30 days before it, from 1.'),
  level: z.number().describe('One-sided error rate of this attempt.'),
  prompt_uses: z.number().describe('Average number of earlier comparisons on the prompts of this eval.'),
  win_rate_low: z
    .number()
    .nullable()
    .describe('Lower bound of the win rate at that level; null when nothing is proven.'),
  win_rate_low_if_fresh: z.number().nullable().describe('The bound if no earlier eval had used the prompts.'),
  prompts_needed: z
    .int()
    .nullable()
    .describe('Fresh prompts after which the next attempt would prove 0.5 at this rate.'),
  samples_judged: z.int(),
  sample_count: z.int().describe('Number of samples that was registered when the eval was created.'),
  seed: z.int().describe('The registered seed, which decides which prompts are selected.'),
})
export type WeighedEvidence = z.infer<typeof WeighedEvidence>

/** The evals that compared two models, as evidence for an alias; the edge does not forward to it. */
export const evalEvidence = endpoint({
  method: 'get',
  path: '/internal/eval/evidence',
  summary: 'Find evals that compared two models.',
  description:
    'Evals that are DONE and ended since the given time, newest first, at most 50. An eval that is cancelled or FAILED is no evidence, but counts as an attempt.',
  service: 'eval',
  audience: 'internal',
  callers: ['alias'],
  query: z.strictObject({
    baseline_model: z.string(),
    candidate_model: z.string(),
    since: moment,
  }),
  reply: z.object({
    data: z.array(
      z.object({
        eval_id: z.string(),
        win_rate: z.number().nullable(),
        win_rate_ci: z.tuple([z.number(), z.number()]).nullable(),
        savings_pct: z.number().nullable(),
        finished_at: z.iso.datetime(),
        evidence: WeighedEvidence.optional().describe('Absent from processes of the previous release.'),
      }),
    ),
  }),
})
